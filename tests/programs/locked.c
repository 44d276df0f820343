/* locked.c - locks its memory, now and to come, as a program does that must not wait for a page.
 *
 * Prints what mlockall answered, then makes and keeps blocks from many places and says "done".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "say.h"

#define BLOCKS 2000

static void *blocks[BLOCKS];
static void *volatile latest; /* so that the compiler leaves the pair in */

static void make_and_free(size_t size)
{
    latest = malloc(size);
    free(latest);
}

int main(void)
{
    int answer;

    make_and_free(200000);
    answer = mlockall(MCL_CURRENT | MCL_FUTURE);
    say("mlockall: %s\n", answer == 0 ? "locked" : strerror(errno));
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(16 + i % 200);
        if (!blocks[i]) {
            say("no block %zu\n", i);
            return 1;
        }
        make_and_free(1000 + i);
    }
    say("done\n");
    return 0;
}
