/* symbol.h - find a function by name; only where the loader's lock may be taken, never in a hook. */
#ifndef TARE_PROBE_SYMBOL_H
#define TARE_PROBE_SYMBOL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Puts the function's address into the pointer at `to`, which stays as it is when there is none.
 * The loader's error text of that is ours, and not left for the host to find. */
static inline bool symbol_find(void *scope, const char *name, void *to)
{
    void *symbol = dlsym(scope, name);

    if (!symbol) {
        (void)dlerror();
        return false;
    }
    /* ISO C has no conversion from an object pointer to a function pointer; POSIX promises it. */
    memcpy(to, &symbol, sizeof(symbol));
    return true;
}

#endif /* TARE_PROBE_SYMBOL_H */
