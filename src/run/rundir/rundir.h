/* rundir.h - make and lock the directory of a run, without overwriting other files. */
#ifndef TARE_RUN_RUNDIR_H
#define TARE_RUN_RUNDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ledger/mailbox.h"
#include "ledger/writer.h"

#define RUNDIR_FLIGHT_TEXT "flight.txt" /* what finish_flight leaves */
#define RUNDIR_FLIGHT_JSON "flight.json"
#define RUNDIR_FLIGHT_MAGIC "tare's " /* the text begins with it */
#define RUNDIR_PLAIN "plain" /* directories of the two runs of `--try REMEDY` … */
#define RUNDIR_WITH "with-"  /* … the second with the remedy's name behind it */

struct rundir_request {
    const char *directory; /* NULL: a new one in the current directory, named after the program */
    const char *program;   /* file name of the program */
    char **command;        /* ends with NULL */
    bool force;            /* files of an earlier run in it may be removed */
    bool observe;          /* --observe: the doctor makes no requests */
    bool no_snapshot;      /* --no-snapshot */
    uint64_t max_pause;    /* longest pause for a heap snapshot, as in the bell */
    bool parent;           /* it will contain only the directories of two runs */
    uint64_t rate;         /* mean bytes between samples; 0: the probe chooses and adapts it */
};

struct rundir {
    int fd; /* the directory, locked for this run; -1: there is none */
    char path[PATH_MAX]; /* absolute */
    bool made;           /* this run made the directory and may remove it */
    struct bell *bell;   /* owned */
    struct ledger ledger;
};

/* 0; ERR_USAGE: the user must choose another directory; ERR_IO, ERR_NOMEM: it cannot be written, and the
 * program should run untraced. After a failure no file of this run is left. */
int rundir_open(struct rundir *out, const struct rundir_request *request, struct why *why);
void rundir_close(struct rundir *dir); /* the files stay; accepts one that is not open */

/* Removes the files of this run, because the program could not be started. */
void rundir_discard(struct rundir *dir);

/* A note in the run's ledger; none if nothing is recorded. `sample`: the number of the last sample. */
void rundir_note(struct rundir *dir, uint64_t sample, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* TARE_RUN_RUNDIR_H */
