/* bare.c - compiled without unwind tables. */
#include "shapes.h"

unsigned bare_inner(int depth, visitor *visit);

__attribute__((noinline)) unsigned bare_inner(int depth, visitor *visit)
{
    if (depth > 0) {
        shapes_sink += bare_inner(depth - 1, visit);
        return shapes_sink + 1;
    }
    visit();
    return shapes_sink + 2;
}

__attribute__((noinline)) unsigned bare_outer(int depth, visitor *visit)
{
    const unsigned below = bare_inner(depth, visit);

    return below + shapes_sink;
}
