/* brood.c - many short children, as shells and loaders make them. `brood COUNT [LEAKY]`: one after
 * the other; child number LEAKY leaks, all others return what they take. */
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tare/mark.h>

#include "say.h"

extern char **environ;

#define STEPS 200
#define BLOCKS 20
#define BLOCK_BYTES 3000

static void *kept[STEPS * BLOCKS]; /* what a leaky child never returns */

static int live(int leaky)
{
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BLOCKS; i++) {
            char *block = malloc(BLOCK_BYTES);

            memset(block, 1, BLOCK_BYTES);
            if (leaky)
                kept[step * BLOCKS + i] = block;
            else
                free(block);
        }
        tare_step((uint64_t)step + 1);
    }
    return 0;
}

static int bear(char *program, int leaky)
{
    char word[2] = {leaky ? 'l' : 'c', 0}, role[] = "child";
    char *command[] = {program, role, word, NULL};
    int status = -1;
    pid_t child;

    if (posix_spawn(&child, program, NULL, NULL, command, environ) != 0)
        return -1;
    (void)waitpid(child, &status, 0);
    return status;
}

int main(int count, char **words)
{
    const int children = count > 1 ? atoi(words[1]) : 0, leaky = count > 2 ? atoi(words[2]) : -1;
    int failed = 0;

    if (count > 2 && strcmp(words[1], "child") == 0)
        return live(words[2][0] == 'l');
    for (int i = 0; i < children; i++)
        failed += bear(words[0], i == leaky) != 0;
    say("%d children, %d failed\n", children, failed);
    return failed != 0;
}
