/* mem.c - see mem.h. */
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned long fail_in; /* requests left until one fails; 0: never */

static bool refused(void)
{
    return fail_in > 0 && --fail_in == 0;
}

void mem_fail_at(unsigned long n)
{
    fail_in = n;
}

void *mem_zalloc_array(size_t count, size_t size)
{
    return refused() ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *mem_zalloc(size_t size)
{
    return mem_zalloc_array(1, size);
}

void *mem_resize(void *old, size_t count, size_t size)
{
    if (refused() || (size > 0 && count > SIZE_MAX / size))
        return NULL;
    return realloc(old, count * size > 0 ? count * size : 1);
}

char *mem_copy_text(const char *text, size_t length)
{
    char *copy = mem_zalloc(length + 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void mem_free(void *block)
{
    free(block);
}
