/* patient.h - the living processes of a run, found from outside.
 *
 * A process belongs to the run if it is a descendant of the root, has the run's directory in its
 * environment, or has a mailbox that its probe made. It stays in the list if its parent dies. The root is
 * always the first. Measurements go into the record of the process in the run's ledger, if there is one.
 */
#ifndef TARE_RUN_PATIENT_H
#define TARE_RUN_PATIENT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/watch/dose.h"
#include "run/system/proc.h"
#include "doctor/ask/round.h"
#include "ledger/mailbox.h"
#include "ledger/writer.h"

struct patient {
    pid_t pid, parent;
    uint64_t ticks;       /* start time; together with the pid it identifies the process */
    uint64_t found;       /* CLOCK_MONOTONIC: when it was found */
    uint32_t generation;  /* of the mailbox */
    struct mailbox *mail; /* owned; NULL: it has not made one yet */
    struct round round;   /* the doctor's rounds with this mailbox */
    struct dose dose;     /* of the remedy under trial */
    uint64_t resident, peak; /* bytes at the last reading, and the highest */
    char name[20];    /* the kernel's name for it, which exec changes */
    uint64_t renamed; /* CLOCK_MONOTONIC: when its name last changed, or when it was found */
    bool examined;    /* since then it was checked whether its program carries the probe */
    struct process_record *record; /* in the run's ledger; NULL: the ledger is full */
};

struct patients {
    struct ledger *ledger; /* borrowed; its head is NULL when nothing is recorded */
    struct patient *list;  /* owned */
    size_t count, room;
    uint64_t unrecorded; /* processes that did not fit the ledger */
    struct pids strangers;    /* processes that were examined and do not belong to the run */
    char sign[PATH_MAX + 16]; /* the entry that every process of the run has in its environment */
    bool has_sign;            /* false: the run has no directory, so there is no such entry */
};

/* Call it before the program starts. `directory`: of the run; "": none. */
void patients_init(struct patients *patients, struct ledger *ledger, const char *directory);
void patients_fini(struct patients *patients);

/* Adds a process; NULL: no memory. */
struct patient *patients_add(struct patients *patients, pid_t pid);
struct patient *patients_find(const struct patients *patients, pid_t pid);

/* Searches /proc for new descendants, and for changes of known ones. */
void patients_search(struct patients *patients);

/* Reads the resident size of every process and returns the sum. Ended processes leave the list. */
uint64_t patients_measure(struct patients *patients);

/* Reads the peak that the kernel recorded, which includes the time between two readings, and the number of
 * open files. */
void patient_read_peak(struct patient *patient);

void patient_untraced(struct patients *patients, struct patient *patient, const char *reason);

#endif /* TARE_RUN_PATIENT_H */
