/* search_path.h - a program by its name, as the user's PATH gives it.
 *
 * An empty or relative entry of PATH means the current directory, which may be that of a run from a
 * stranger. Such entries are skipped.
 */
#ifndef TARE_BASE_SEARCH_PATH_H
#define TARE_BASE_SEARCH_PATH_H

#include <limits.h>
#include <stdbool.h>

/* The first regular file of this name that can be executed, as an absolute path. */
bool search_path(char out[PATH_MAX], const char *name);

#endif /* TARE_BASE_SEARCH_PATH_H */
