/* search_path.c - see search_path.h. */
#include "base/search_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

bool search_path(char out[PATH_MAX], const char *name)
{
    const char *from = getenv("PATH");

    while (from && *from) {
        const size_t length = strcspn(from, ":");

        if (*from == '/' && length < PATH_MAX &&
            snprintf(out, PATH_MAX, "%.*s/%s", (int)length, from, name) < PATH_MAX &&
            is_program(out))
            return true;
        from += length + (from[length] == ':');
    }
    return false;
}
