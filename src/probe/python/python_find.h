/* python_find.h - where the interpreter's exported symbols are, if there is an interpreter.
 *
 * Not by dlsym: that takes the loader's lock, and for a name that is not there it allocates and
 * leaves an error that the program's own dlerror would return. The symbol tables are read as the
 * loader has mapped them.
 */
#ifndef TARE_PROBE_PYTHON_FIND_H
#define TARE_PROBE_PYTHON_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses; 0: not exported. */
struct python_symbols {
#define SYMBOL(field, name) uintptr_t field;
#define FUNCTION(name)
#include "probe/python/python_symbols.def"
#undef SYMBOL
#undef FUNCTION
    uint64_t evaluate_size; /* bytes of `evaluate` */
};

/* In everything that is loaded. Only at probe start: it takes the loader's lock. */
bool python_find(struct python_symbols *out);

/* Searches one module, which cannot be unloaded during the call. `start`: where its file is
 * mapped. */
bool python_find_in(uintptr_t start, uintptr_t base, struct python_symbols *out);

/* Any function by name: in the module that this address is in, without a lock; and in whatever is
 * loaded but the module that `except` is in, which takes the loader's lock. 0: it is not there. */
uintptr_t python_find_from(uintptr_t address, const char *name);
uintptr_t python_find_anywhere(const char *name, uintptr_t except);

#endif /* TARE_PROBE_PYTHON_FIND_H */
