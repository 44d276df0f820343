/* symbol.h - find a function by name; only where the loader's lock may be taken, never in a hook.
 *
 * The probe has a dlsym of its own (entry/hooks_driver.c), which is for the program. Here libc's is called.
 */
#ifndef TARE_PROBE_SYMBOL_H
#define TARE_PROBE_SYMBOL_H

#include <dlfcn.h>
#include <stdbool.h>

typedef void *symbol_fn(void *scope, const char *name);

/* dlsym of libc itself, whoever else defines it; NULL: there is none. */
symbol_fn *symbol_libc(void);

/* As dlsym called by the probe. */
void *symbol_look(void *scope, const char *name);

/* Puts the function's address into the pointer at `to`, which stays as it is when there is none.
 * The loader's error text of that is ours, and not left for the host to find. */
bool symbol_find(void *scope, const char *name, void *to);

#endif /* TARE_PROBE_SYMBOL_H */
