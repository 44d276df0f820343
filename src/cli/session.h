/* session.h - one program, run and watched from its start to its end. */
#ifndef TARE_CLI_SESSION_H
#define TARE_CLI_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct try_remedy; /* doctor/tried.h */

struct run_options {
    const char *directory;
    const char *json, *html; /* become NULL where they cannot be written: it has been said */
    const char *remedy;
    uint64_t rate, budget, disk; /* disk: bytes, 0: as much as usual */
    bool force, quiet, observe, exit_code, no_report, until_verdict, snapshot;
};

/* How it ended. */
struct session_end {
    int status; /* to return for the program: its own, 128 + signal, 0 where tare ended it */
    char directory[PATH_MAX]; /* what was recorded, and is closed now; "": nothing */
};

/* Says at once which of the files that are asked for cannot be written, and forgets them. */
void session_check_files(struct run_options *options);

/* Runs `command` (ends with NULL), with `remedy` applied from outside unless it is NULL. 0, or the
 * exit code of a program that could not be started. */
int session_run(struct run_options *options, char **command, const struct try_remedy *remedy,
                struct session_end *out);

#endif /* TARE_CLI_SESSION_H */
