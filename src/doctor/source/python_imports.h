/* python_imports.h - the files of the program that its Python files import.
 *
 * The search for a store line (store.h) follows imports. The text is not parsed; only lines that begin
 * with `import` or `from` are read. A missed file can at worst leave a store line unknown.
 */
#ifndef TARE_DOCTOR_PYTHON_IMPORTS_H
#define TARE_DOCTOR_PYTHON_IMPORTS_H

struct sources; /* doctor/source/source.h */

/* Reads the files that the Python files among the sources import, directly or through others, and the
 * __init__.py of their packages. The standard library and installed packages are left out. */
void python_imports_follow(struct sources *sources);

#endif /* TARE_DOCTOR_PYTHON_IMPORTS_H */
