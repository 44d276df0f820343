/* python_path.c - see python_path.h. */
#include "base/python_path.h"

#include <string.h>

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ".../lib/python3.11/...", ".../lib64/python3/..." */
static bool in_python_library(const char *file)
{
    const char *at = file;

    while ((at = strstr(at, "/python")) != NULL) {
        const bool lib = (at - file >= 4 && begins(at - 4, "/lib")) ||
                         (at - file >= 6 && begins(at - 6, "/lib64"));

        at += strlen("/python");
        if (lib && *at >= '0' && *at <= '9')
            return true;
    }
    return false;
}

bool python_path_is_library(const char *file)
{
    return begins(file, "<frozen ") || strstr(file, "/site-packages/") ||
           strstr(file, "/dist-packages/") || strstr(file, "/torchinductor_") ||
           strstr(file, "/__autograph_generated_file") || strstr(file, "/python/tare/") ||
           strstr(file, "/python/inject/sitecustomize.py") || in_python_library(file);
}

bool python_path_is_importer(const char *file)
{
    return begins(file, "<frozen importlib");
}
