/* stacks.c - a chain of callers at known lines, built by test_stacks.py with many sets of flags.
 *
 * Prints "FUNCTION LINE" of each call on the way to each kept block, innermost first, and an empty
 * line after each chain. `spread` is a function with a large frame, `folded` one that is inlined.
 */
#include <stdlib.h>
#include <string.h>

#include "../programs/say.h"

#define NOINLINE __attribute__((noinline, noclone))
#define KEEPS_FRAME __asm__ volatile("" ::: "memory") /* no tail call past this */

/* Not static: a store that nobody can read would be dropped, and the call of malloc with it. */
void *kept[4][4000];
static int lines[16];

NOINLINE static void *leaf(size_t size)
{
    void *block = (lines[0] = __LINE__, malloc(size));

    KEEPS_FRAME;
    return block;
}

NOINLINE static void *middle(size_t size)
{
    void *block = (lines[1] = __LINE__, leaf(size));

    KEEPS_FRAME;
    return block;
}

NOINLINE static void *spread(size_t size)
{
    volatile char room[5000];
    void *block;

    room[0] = 1;
    block = (lines[2] = __LINE__, middle(size));
    room[4999] = room[0];
    KEEPS_FRAME;
    return block;
}

static inline __attribute__((always_inline)) void *folded(size_t size)
{
    void *block = (lines[3] = __LINE__, calloc(1, size));

    KEEPS_FRAME;
    return block;
}

NOINLINE static void *around(size_t size)
{
    void *block = (lines[4] = __LINE__, folded(size));

    KEEPS_FRAME;
    return block;
}

/* Blocks of a variable array move the stack pointer: unwinding must not follow it blindly. */
NOINLINE static void *shifting(size_t size, size_t shift)
{
    volatile char room[shift];
    void *block;

    room[0] = 1;
    block = (lines[5] = __LINE__, realloc(NULL, size));
    room[shift - 1] = room[0];
    KEEPS_FRAME;
    return block;
}

static int compare(const void *one, const void *other)
{
    static int turns;

    if (turns < 4000)
        kept[3][turns++] = (lines[7] = __LINE__, malloc(256));
    return *(const int *)one - *(const int *)other;
}

/* The call goes through the C library and comes back. */
NOINLINE static void through_library(void)
{
    int numbers[700];

    for (int i = 0; i < 700; i++)
        numbers[i] = i * 7919 % 701;
    (lines[8] = __LINE__, qsort(numbers, 700, sizeof(numbers[0]), compare));
    KEEPS_FRAME;
}

int main(void)
{
    for (int i = 0; i < 4000; i++) {
        kept[0][i] = (lines[9] = __LINE__, spread(256));
        kept[1][i] = (lines[10] = __LINE__, around(272));
        kept[2][i] = (lines[11] = __LINE__, shifting(288, 64 + (size_t)i % 900));
    }
    (lines[12] = __LINE__, through_library());
    KEEPS_FRAME;
    say("leaf %d\nmiddle %d\nspread %d\nmain %d\n\n", lines[0], lines[1], lines[2], lines[9]);
    say("folded %d\naround %d\nmain %d\n\n", lines[3], lines[4], lines[10]);
    say("shifting %d\nmain %d\n\n", lines[5], lines[11]);
    say("compare %d\nthrough_library %d\nmain %d\n\n", lines[7], lines[8], lines[12]);
    return 0;
}
