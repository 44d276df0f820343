/* plugin.c - a library to be loaded and unloaded again and again; allocates at both ends. */
#include <stdlib.h>

static void *at_load;

__attribute__((constructor)) static void loaded(void)
{
    at_load = malloc(5000);
}

__attribute__((destructor)) static void unloaded(void)
{
    free(at_load);
}

void *plugin_make(long number);

void *plugin_make(long number)
{
    return malloc(100 + (size_t)number * 50);
}
