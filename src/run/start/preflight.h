/* preflight.h - check what kind of program it is, before it starts.
 *
 * Some programs cannot carry the probe. They run anyway, untraced, and one sentence says why. A program
 * that does not exist is refused with the exit code of a shell.
 */
#ifndef TARE_RUN_PREFLIGHT_H
#define TARE_RUN_PREFLIGHT_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct preflight {
    char path[PATH_MAX];  /* the file to execute */
    bool by_shell;        /* a text without "#!": the shell runs it */
    const char *untraced; /* why it cannot carry the probe ("is …"), static; NULL: it can */
    bool harmless;        /* it may get the probe anyway, so that its children carry it */
};

/* Finds `command` as execvp would. 0, or EXIT_NOT_FOUND or EXIT_CANNOT_EXECUTE with a reason. */
int preflight(struct preflight *out, const char *command, struct why *why);

/* Why the program file at this path cannot carry the probe (static); NULL: it can. */
const char *preflight_untraced(const char *path);

#endif /* TARE_RUN_PREFLIGHT_H */
