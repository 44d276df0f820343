/* session.h - one program, run and watched from its start to its end. */
#ifndef TARE_RUN_SESSION_H
#define TARE_RUN_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct try_remedy; /* doctor/verbs/tried.h */

struct run_options {
    const char *directory;
    const char *json, *html; /* become NULL if they cannot be written; that was reported */
    const char *remedy;
    uint64_t rate, budget, disk; /* disk: bytes, 0: as much as usual */
    bool force, quiet, verbose, observe, exit_code, no_report, until_verdict, snapshot;
};

/* How it ended. */
struct session_end {
    int status; /* to return for the program: its own, 128 + signal, 0 where tare ended it */
    char directory[PATH_MAX]; /* of the finished record; "": nothing was recorded */
};

/* Reports at once which of the requested files cannot be written, and drops them. */
void session_check_files(struct run_options *options);

/* Runs `command` (ends with NULL), with `remedy` applied from outside unless it is NULL. 0, or the
 * exit code of a program that could not be started. */
int session_run(struct run_options *options, char **command, const struct try_remedy *remedy,
                struct session_end *out);

#endif /* TARE_RUN_SESSION_H */
