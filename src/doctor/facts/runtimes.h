/* runtimes.h - tells the user's code from the code that serves it: the C library, allocators, the
 * C++ runtime with its headers, and the probe. */
#ifndef TARE_DOCTOR_RUNTIMES_H
#define TARE_DOCTOR_RUNTIMES_H

#include <stdbool.h>

/* True for code that serves, by the base name of the object file that holds it. */
bool runtimes_module(const char *base_name);

/* The same of a Python interpreter: "python3.11", "libpython3.11.so.1.0", but not "python3-tools". */
bool runtimes_interpreter(const char *base_name);

/* The same by the function's linkage name and file; either may be NULL. This is needed because
 * templates of the C++ library are compiled into the user's objects, and allocators may be
 * linked in. */
bool runtimes_function(const char *linkage, const char *file);

/* The same by the file of a Python function. Code that serves is the standard library, installed
 * packages, code that their compilers generated, and tare's adapter. */
bool runtimes_python(const char *file);

/* The same by a JavaScript file. Code that serves belongs to the engine, a package or tare's
 * adapter. */
bool runtimes_script(const char *file);

/* True for an object file that was installed, by its path: a library of the system or a package. */
bool runtimes_installed(const char *path);

/* True for code that calls any C function for the program, as the program says: libffi and what is made
 * with it. By the base name of the object file. */
bool runtimes_foreign(const char *base_name);

#endif /* TARE_DOCTOR_RUNTIMES_H */
