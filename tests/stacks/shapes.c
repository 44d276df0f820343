/* shapes.c - functions whose frames look as different as compilers make them. */
#include "shapes.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noclone))
#ifdef __clang__
#undef KEEP
#define KEEP __attribute__((noinline))
#endif

volatile unsigned shapes_sink;

KEEP unsigned shape_plain(int depth, visitor *visit);

KEEP unsigned shape_alloca(int depth, visitor *visit)
{
    volatile char *room = alloca((size_t)(17 + depth * 40));
    unsigned below;

    room[0] = (char)depth;
    below = shape_plain(depth - 1, visit);
    return below + (unsigned)room[0];
}

KEEP unsigned shape_aligned(int depth, visitor *visit)
{
    _Alignas(128) volatile char room[256];
    unsigned below;

    room[3] = (char)depth;
    below = shape_alloca(depth - 1, visit);
    return below + (unsigned)room[3];
}

KEEP unsigned shape_large(int depth, visitor *visit)
{
    volatile char room[70000];
    unsigned below;

    room[69999] = (char)depth;
    below = shape_aligned(depth - 1, visit);
    return below + (unsigned)room[69999];
}

/* Aligned and of variable size: the compiler needs a register of its own for the arguments. */
KEEP unsigned shape_many(int depth, visitor *visit, int a, int b, int c, int d, int e, int f, int g)
{
    _Alignas(64) volatile int sum[16];
    volatile char *room = alloca((size_t)(33 + (a & 7)));
    unsigned below;

    sum[0] = a + b + c + d + e + f + g;
    room[1] = 1;
    below = shape_large(depth - 1, visit);
    return below + (unsigned)(sum[0] + room[1]);
}

static visitor *sorted_visit;
static int sorted_depth;

static int compare(const void *a, const void *b)
{
    const int difference = *(const int *)a - *(const int *)b;

    if (sorted_depth > 0) {
        const int depth = sorted_depth;

        sorted_depth = 0;
        shapes_sink += shape_many(depth - 1, sorted_visit, 1, 2, 3, 4, 5, 6, 7);
    }
    return difference;
}

KEEP unsigned shape_sorted(int depth, visitor *visit)
{
    int numbers[4] = {3, 1, 2, 0};

    sorted_visit = visit;
    sorted_depth = depth;
    qsort(numbers, 4, sizeof(numbers[0]), compare);
    return (unsigned)(numbers[0] + depth);
}

KEEP unsigned shape_plain(int depth, visitor *visit)
{
    unsigned below;

    if (depth <= 0) {
        visit();
        shapes_sink++;
        return 1;
    }
    below = depth % 7 == 3 ? shape_large(depth - 1, visit) : shape_alloca(depth - 1, visit);
    return below + shapes_sink;
}
