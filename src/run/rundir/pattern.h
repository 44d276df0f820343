/* pattern.h - the name of a run's directory from a pattern. */
#ifndef TARE_RUN_PATTERN_H
#define TARE_RUN_PATTERN_H

#include <stddef.h>

#include "base/err.h"

/* %p: the process id of tare run, %h: the name of the machine, %e: the program's file name, %%: a
 * percent sign. ERR_USAGE: something else follows a percent sign, or it does not fit. */
int pattern_expand(char *out, size_t size, const char *pattern, const char *program, struct why *why);

#endif /* TARE_RUN_PATTERN_H */
