/* python_imports.h - the files that Python files import from beside them.
 *
 * The search for the line that stores something (store.h) follows imports. The text is not parsed,
 * only lines that begin with `import` or `from` are looked at: a file too many or too few costs an
 * answer at most.
 */
#ifndef TARE_DOCTOR_PYTHON_IMPORTS_H
#define TARE_DOCTOR_PYTHON_IMPORTS_H

struct sources; /* doctor/source/source.h */

/* Asks for the files that the Python files among the sources import, theirs too, and for the
 * __init__.py of the packages that they are in. Those of the interpreter's library and of installed
 * packages are left. */
void python_imports_follow(struct sources *sources);

#endif /* TARE_DOCTOR_PYTHON_IMPORTS_H */
