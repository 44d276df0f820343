/* python_api.h - the few requests to the interpreter itself, by functions found by name.
 *
 * Only in a pending call: the interpreter runs it on its main thread, with its lock held, between two
 * instructions. No Python code is run for a question about a function.
 */
#ifndef TARE_PROBE_PYTHON_API_H
#define TARE_PROBE_PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/python/loops_pure.h"
#include "probe/python/python_code.h"

/* Makes `call` run soon. From anywhere, with or without the lock. False: not possible. */
bool python_api_soon(const struct python *python, int (*call)(void *));

/* Whose the function is, and its loops. False: this version's instructions are not known. */
bool python_api_loops(const struct python *python, uintptr_t code, struct loop_code *out);

/* Does a program's own code begin with this function? Not while the interpreter is still starting. */
bool python_api_is_main(const struct python *python, uintptr_t code);

/* Loads the adapter whose start-up module is this file. Our errors end here. */
void python_api_load(const char *path);

#endif /* TARE_PROBE_PYTHON_API_H */
