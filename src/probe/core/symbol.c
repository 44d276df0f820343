/* symbol.c - see symbol.h. */
#include "probe/core/symbol.h"

#include <stdint.h>
#include <string.h>

/* It is part of libc from 2.34 on, with its older version kept, and part of libdl before. A version is
 * asked for because a library that defines dlsym for programs to find gives it none. */
symbol_fn *symbol_libc(void)
{
    static uintptr_t known; /* atomic */
    symbol_fn *function;
    uintptr_t address = __atomic_load_n(&known, __ATOMIC_RELAXED);

    if (!address) {
        address = (uintptr_t)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        if (!address)
            address = (uintptr_t)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        __atomic_store_n(&known, address, __ATOMIC_RELAXED);
    }
    memcpy(&function, &address, sizeof(function));
    return function;
}

/* The real one looks where it returns to: that must be here, so it is not called as the last thing. */
void *symbol_look(void *scope, const char *name)
{
    symbol_fn *const libc = symbol_libc();
    void *symbol = libc ? libc(scope, name) : NULL;

    __asm__ volatile("" : "+r"(symbol));
    return symbol;
}

bool symbol_find(void *scope, const char *name, void *to)
{
    void *const symbol = symbol_look(scope, name);

    if (!symbol) {
        (void)dlerror();
        return false;
    }
    /* ISO C has no conversion from an object pointer to a function pointer; POSIX promises it. */
    memcpy(to, &symbol, sizeof(symbol));
    return true;
}
