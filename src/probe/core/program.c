/* program.c - see program.h. */
#include "probe/core/program.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_BYTES 1024

/* The base name of the executable, in `path`; "" when it is not available. */
static const char *program_name(char path[PROGRAM_BYTES])
{
    const ssize_t length = readlink("/proc/self/exe", path, PROGRAM_BYTES - 1);
    const char *slash;

    path[length > 0 ? length : 0] = 0;
    slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* python, python3, python3.11, python3.13t. */
static bool looks_like_python(void)
{
    char path[PROGRAM_BYTES];
    const char *name = program_name(path);

    return strncmp(name, "python", 6) == 0 && (name[6] == 0 || (name[6] >= '0' && name[6] <= '9'));
}

bool program_is_node(void)
{
    char path[PROGRAM_BYTES];
    const char *name = program_name(path);

    return strcmp(name, "node") == 0 || strcmp(name, "nodejs") == 0;
}

bool program_is_python(void)
{
    static uint8_t answer; /* atomic: 1 + it; 0: not asked yet */
    uint8_t now = __atomic_load_n(&answer, __ATOMIC_RELAXED);

    if (now == 0) {
        now = looks_like_python() ? 2 : 1;
        __atomic_store_n(&answer, now, __ATOMIC_RELAXED);
    }
    return now == 2;
}
