/* watched.c - a program to be watched while it runs: `watched STEPS [MILLISECONDS]`.
 *
 * keep_result() leaks 4 KB in every step, work_space() releases all it takes, warm_up() allocates
 * once. It takes a step every so many milliseconds, 5 unless told.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>
#include <unistd.h>

static char **kept;
static size_t kept_count;

__attribute__((noinline)) static void warm_up(size_t steps)
{
    char *table = malloc(3 << 20);

    memset(table, 1, 3 << 20);
    kept = calloc(steps + 1, sizeof(*kept));
    kept[kept_count++] = table;
}

__attribute__((noinline)) static void keep_result(void)
{
    char *result = malloc(4096);

    memset(result, 2, 4096);
    kept[kept_count++] = result;
}

__attribute__((noinline)) static void work_space(void)
{
    char *space = malloc(100000);

    memset(space, 3, 100000);
    free(space);
}

int main(int argc, char **argv)
{
    const size_t steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    const unsigned pause = argc > 2 ? (unsigned)atoi(argv[2]) : 5;

    warm_up(steps);
    for (size_t i = 0; i < steps; i++) {
        tare_step(i);
        keep_result();
        work_space();
        usleep(pause * 1000);
    }
    return 0;
}
