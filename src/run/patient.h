/* patient.h - the processes of a run that are alive, found from outside.
 *
 * One is found as a descendant of the root, by the run's directory in its environment, or by the
 * mailbox its probe made; what was once found stays ours when its parent dies. The root is always
 * the first. What is learned about each goes into its record in the run's ledger, if there is one.
 */
#ifndef TARE_RUN_PATIENT_H
#define TARE_RUN_PATIENT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/dose.h"
#include "run/proc.h"
#include "doctor/ask/round.h"
#include "ledger/mailbox.h"
#include "ledger/writer.h"

struct patient {
    pid_t pid, parent;
    uint64_t ticks;       /* with the pid, names the process for good */
    uint64_t found;       /* CLOCK_MONOTONIC */
    uint32_t generation;  /* of the mailbox */
    struct mailbox *mail; /* owned; NULL: it has made none so far */
    struct round round;   /* the doctor's rounds with this mailbox */
    struct dose dose;     /* of the remedy under trial */
    uint64_t resident, peak;
    char name[20];
    uint64_t renamed; /* CLOCK_MONOTONIC: when its name last changed, as with exec; else when it was found */
    bool examined; /* since then it was checked whether its program carries the probe */
    struct process_record *record; /* in the run's ledger; NULL: there was no room */
};

struct patients {
    struct ledger *ledger; /* borrowed; its head is NULL when nothing is recorded */
    struct patient *list;  /* owned */
    size_t count, room;
    uint64_t unrecorded; /* processes that did not fit the ledger */
    struct pids strangers; /* examined, and not ours */
    char sign[PATH_MAX + 16]; /* what every process of the run has in its environment */
    bool has_sign;            /* false: there is no such thing */
};

/* Before the program is started. `directory`: of the run, "" if there is none. */
void patients_init(struct patients *patients, struct ledger *ledger, const char *directory);
void patients_fini(struct patients *patients);

/* Adds a process; NULL: no memory. */
struct patient *patients_add(struct patients *patients, pid_t pid);
struct patient *patients_find(const struct patients *patients, pid_t pid);

/* Looks through /proc for new descendants, and for changes of those known. */
void patients_search(struct patients *patients);

/* Reads everyone's resident size; the sum. Those that are gone leave the list. */
uint64_t patients_measure(struct patients *patients);

/* Reads the kernel's own high-water mark, which also saw what happened between two readings, and
 * how many files are open. */
void patient_read_peak(struct patient *patient);

void patient_untraced(struct patients *patients, struct patient *patient, const char *reason);

#endif /* TARE_RUN_PATIENT_H */
