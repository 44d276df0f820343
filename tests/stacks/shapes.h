/* shapes.h - chains of calls that end in a visit. */
#ifndef TARE_TESTS_STACKS_SHAPES_H
#define TARE_TESTS_STACKS_SHAPES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void visitor(void);

extern volatile int shapes_sink;

int shape_plain(int depth, visitor *visit);
int shape_alloca(int depth, visitor *visit);
int shape_aligned(int depth, visitor *visit);
int shape_large(int depth, visitor *visit);
int shape_many(int depth, visitor *visit, int a, int b, int c, int d, int e, int f, int g);
int shape_sorted(int depth, visitor *visit);

/* bare.c: no unwind tables. */
int bare_outer(int depth, visitor *visit);

/* thrown.cc: visits in a destructor while an exception passes, then where it is caught. */
int thrown_outer(visitor *visit, int *visits);

#ifdef __cplusplus
}
#endif

#endif /* TARE_TESTS_STACKS_SHAPES_H */
