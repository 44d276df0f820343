/* python_path.h - whose code a Python file is, by its path alone. Probe and doctor have one rule. */
#ifndef TARE_BASE_PYTHON_PATH_H
#define TARE_BASE_PYTHON_PATH_H

#include <stdbool.h>

/* The interpreter's own library, installed packages, code that a compiler of theirs wrote, and our own
 * adapter. Nothing else: then it is the user's, or nobody's ("<stdin>"). */
bool python_path_is_library(const char *file);

/* The source of the import system: on the stack while a module is being loaded. */
bool python_path_is_importer(const char *file);

#endif /* TARE_BASE_PYTHON_PATH_H */
