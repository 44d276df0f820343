/* shapes.h - chains of calls that end in a visit. */
#ifndef TARE_TESTS_STACKS_SHAPES_H
#define TARE_TESTS_STACKS_SHAPES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void visitor(void);

extern volatile unsigned shapes_sink;

unsigned shape_plain(int depth, visitor *visit);
unsigned shape_alloca(int depth, visitor *visit);
unsigned shape_aligned(int depth, visitor *visit);
unsigned shape_large(int depth, visitor *visit);
unsigned shape_many(int depth, visitor *visit, int a, int b, int c, int d, int e, int f, int g);
unsigned shape_sorted(int depth, visitor *visit);

/* bare.c: no unwind tables. */
unsigned bare_outer(int depth, visitor *visit);

/* thrown.cc: visits in a destructor while an exception passes, then where it is caught. */
unsigned thrown_outer(visitor *visit, int *visits);

#ifdef __cplusplus
}
#endif

#endif /* TARE_TESTS_STACKS_SHAPES_H */
