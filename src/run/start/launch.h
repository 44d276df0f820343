/* launch.h - start the user's program, pass signals on, and learn how it ended.
 *
 * The program stays in tare's process group and keeps its terminal, so it receives signals of the terminal
 * directly. Only signals that were sent to tare alone are passed on.
 */
#ifndef TARE_RUN_LAUNCH_H
#define TARE_RUN_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "run/start/preflight.h"
#include "run/start/witness.h"

struct launch {
    const struct preflight *program; /* borrowed */
    char **command;                  /* borrowed; ends with NULL */
    const char *directory;   /* absolute; NULL: nothing is recorded */
    const char *environment; /* NAME=VALUE, added to the program's; NULL: nothing */
    const char *probe;       /* the library to preload; NULL: the program runs untraced */
    const char *python;      /* the first entry for PYTHONPATH; NULL: it is unchanged */
    const char *node;        /* the script that Node loads first; NULL: NODE_OPTIONS is unchanged */
    struct witness witness;  /* says which signals were sent to the whole process group */
    pid_t pid;        /* of the program */
    uint64_t started; /* CLOCK_MONOTONIC, nanoseconds */
    int status;       /* the wait status, after it has ended */
    uint64_t worked;  /* processor time of the program and of the children that it waited for; nanoseconds */
};

enum launch_event { LAUNCH_QUIET, LAUNCH_STOPPED, LAUNCH_ENDED };

/* Starts it, after signals_take. 0, or EXIT_NOT_FOUND or EXIT_CANNOT_EXECUTE with a reason. */
int launch_start(struct launch *launch, struct why *why);

/* Handles every pending signal, and every child that has ended or stopped. */
enum launch_event launch_events(struct launch *launch);

/* The program has stopped: stop too, and when continued make sure that the program is continued as
 * well. */
void launch_follow_stop(struct launch *launch);

/* The status to return: the program's own, or 128 + the signal that killed it. */
int launch_exit_code(const struct launch *launch);

#endif /* TARE_RUN_LAUNCH_H */
