/* session.h - one program, run and watched from its start to its end. */
#ifndef TARE_RUN_SESSION_H
#define TARE_RUN_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct try_remedy; /* doctor/verbs/tried.h */

struct run_options {
    const char *directory;       /* NULL: a new one in the current directory */
    const char *json, *html;     /* files to write; NULL: none. Set to NULL if they cannot be written */
    const char *remedy;          /* --try; NULL: none */
    uint64_t rate, disk; /* bytes; 0: the default */
    uint64_t budget, device_budget; /* bytes; 0: none */
    uint64_t max_pause; /* longest pause for a heap snapshot, in nanoseconds; 0: the default */
    bool force, quiet, verbose, observe, exit_code, no_report, until_verdict, snapshot, no_snapshot;
};

/* How the run ended. */
struct session_end {
    int status; /* exit code: the program's own, 128 + its signal, or 0 if tare ended it */
    char directory[PATH_MAX]; /* of the run, absolute; "": nothing was recorded */
};

/* Reports which of the requested files cannot be written, and drops them from the options. */
void session_check_files(struct run_options *options);

/* Runs `command` (ends with NULL), with `remedy` applied from outside unless it is NULL. 0, or the
 * exit code of a program that could not be started. */
int session_run(struct run_options *options, char **command, const struct try_remedy *remedy,
                struct session_end *out);

#endif /* TARE_RUN_SESSION_H */
