/* python_function.h - functions of CPython by name: everything that the probe calls in an interpreter. */
#ifndef TARE_PROBE_PYTHON_FUNCTION_H
#define TARE_PROBE_PYTHON_FUNCTION_H

#include <stdbool.h>

enum python_function {
#define SYMBOL(field, name)
#define FUNCTION(name) PYTHON_##name,
#include "probe/python/python_symbols.def"
#undef SYMBOL
#undef FUNCTION
};

/* Puts the address of a function into *out, a pointer to such a function. False: this interpreter has none of
 * this name, or there is no interpreter. Where the loader's lock may be taken. */
bool python_function(enum python_function which, void *out);

#endif /* TARE_PROBE_PYTHON_FUNCTION_H */
