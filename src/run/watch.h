/* watch.h - observe a run from outside while it runs.
 *
 * It reads the sizes of all processes ten times a second; smaps_rollup only at the end of a
 * process, because it stalls the process; the limits that apply; whether the OOM killer ended it.
 * Everything goes into the run's own ledger. A watch also works without a ledger.
 */
#ifndef TARE_RUN_WATCH_H
#define TARE_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/cgroup.h"
#include "run/gpu.h"
#include "run/mails.h"
#include "run/patient.h"
#include "run/rundir.h"

#define WATCH_TICK_NS 100000000ull

enum watch_kill { KILL_NONE, KILL_SOME, KILL_ROOT }; /* by the kernel's OOM killer */

struct watch {
    struct rundir *dir; /* borrowed; its ledger is closed when nothing is recorded */
    struct bell *bell;  /* borrowed: the run's, or a private one */
    struct patients patients;
    struct mails mails;
    struct cgroup cgroup;
    uint32_t limit_ids[CGROUP_LIMITS_MAX]; /* in the ledger, beside cgroup.limits; 0: none */
    uint32_t machine_id;
    struct gpu gpu;
    uint32_t gpu_id;
    uint64_t machine_bytes;
    uint64_t started, next_sample, next_search, next_slow;
    uint64_t samples;
    uint64_t resident;        /* all processes, at the last reading */
    uint64_t available;       /* of the machine, at the last slow reading */
    uint64_t rollup_ns;       /* spent in smaps_rollup so far */
    uint64_t kills, vm_kills; /* OOM counters at the start */
    bool counts_kills;        /* the cgroup has such a counter */
    bool any_snapshot;        /* take a heap snapshot whatever the heap's size (--snapshot) */
    void (*on_snapshot)(pid_t pid); /* called when that is requested; may be NULL */
    unsigned remedy;          /* request that is repeated (--try), enum request_kind; 0: none */
    /* Known after watch_end: */
    enum watch_kill kill;
    uint32_t refused; /* processes whose probe could not make a ledger */
    uint32_t noted[UNWATCHED_SLOTS]; /* beside the bell's slots: processes that have their own note */
    size_t orphans;
    char orphan_names[640];
};

void watch_init(struct watch *watch, struct rundir *dir, struct bell *bell);
void watch_fini(struct watch *watch);

/* The root is running. `untraced`: why it carries no probe, or NULL. */
void watch_root(struct watch *watch, pid_t pid, uint64_t started, const char *untraced);

/* One pass: heartbeat, new mailboxes, visits, and everything else that is due. */
void watch_pass(struct watch *watch);
uint64_t watch_until_due(const struct watch *watch); /* nanoseconds to the next pass */

/* The root has ended with this wait status: last readings, orphans, OOM. */
void watch_end(struct watch *watch, int status);

/* The root will be ended by a signal: reads what is otherwise read in its last round. */
void watch_last_readings(struct watch *watch);

void watch_note(struct watch *watch, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* TARE_RUN_WATCH_H */
