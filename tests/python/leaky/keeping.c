/* keeping.c - a library that forgets what it allocates. */
#include "keeping.h"

#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) char *copy_of(const char *text, size_t size)
{
    char *copy = malloc(size);

    if (copy)
        (void)strncpy(copy, text, size);
    return copy;
}

__attribute__((noinline)) size_t keeping_read(const char *text, size_t size)
{
    char *copy = copy_of(text, size);

    return copy ? strlen(copy) : 0; /* and never released */
}

__attribute__((noinline)) char *keeping_make(const char *text, size_t size)
{
    return copy_of(text, size);
}
