/* runtimes.h - which code is the user's, and which only serves it: the C library, allocators, the
 * C++ runtime with its headers, and the probe. */
#ifndef TARE_DOCTOR_RUNTIMES_H
#define TARE_DOCTOR_RUNTIMES_H

#include <stdbool.h>

/* By the base name of the object that holds the code. */
bool runtimes_module(const char *base_name);

/* By what is known of the function; either may be NULL. Templates of the C++ library are compiled
 * into the user's objects, and allocators may be linked in. */
bool runtimes_function(const char *linkage, const char *file);

/* By the file of a Python function: the interpreter's own library, installed packages, code that a
 * compiler of theirs wrote, and our own adapter. */
bool runtimes_python(const char *file);

/* A JavaScript file that is not the user's: of the engine, a package, or tare's adapter. */
bool runtimes_script(const char *file);

#endif /* TARE_DOCTOR_RUNTIMES_H */
