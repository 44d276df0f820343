/* watch.h - observe a run from outside while it runs.
 *
 * It reads the sizes of all processes ten times a second, the limits that apply, and whether the OOM killer
 * ended a process. It reads smaps_rollup only at the end of a process, because that stalls the process.
 * Everything goes into the run's own ledger. A watch also works without a ledger.
 */
#ifndef TARE_RUN_WATCH_H
#define TARE_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/system/cgroup.h"
#include "run/system/gpu.h"
#include "run/watch/mails.h"
#include "run/watch/patient.h"
#include "run/rundir/rundir.h"
#include "run/watch/unwatched.h"

#define WATCH_TICK_NS 100000000ull

enum watch_kill { KILL_NONE, KILL_SOME, KILL_ROOT }; /* by the kernel's OOM killer */

struct watch {
    struct rundir *dir; /* borrowed; its ledger is closed when nothing is recorded */
    struct bell *bell;  /* borrowed: the run's, or a private one */
    struct patients patients;
    struct mails mails;
    struct cgroup cgroup;
    uint32_t limit_ids[CGROUP_LIMITS_MAX]; /* of each cgroup.limits its record in the ledger; 0: none */
    uint32_t machine_id;      /* the record of the machine's memory; 0: none */
    struct gpu gpu;
    uint32_t gpu_id;          /* the record of the device's memory; 0: none */
    uint64_t machine_bytes;   /* memory of the machine */
    uint64_t started;         /* time when the program started */
    uint64_t next_sample, next_search, next_slow; /* times of the next readings */
    uint64_t samples;         /* taken so far */
    uint64_t resident;        /* of all processes, at the last reading */
    uint64_t available;       /* of the machine, at the last slow reading */
    uint64_t rollup_ns;       /* spent in smaps_rollup so far */
    uint64_t look_ns, looks;  /* processor time spent judging ledgers and asking, and how often that was */
    uint64_t kills, vm_kills; /* OOM counters at the start */
    bool counts_kills;        /* the cgroup has such a counter */
    void (*on_snapshot)(pid_t pid); /* called when a snapshot is requested; may be NULL */
    unsigned remedy;          /* --try: enum request_kind of the repeated request; 0: none */
    enum watch_kill kill;     /* known after watch_end */
    uint32_t refused;         /* known after watch_end: processes whose probe could not make a ledger */
    struct unwatched_notes unwatched; /* which processes without a probe have a note */
    size_t orphans;           /* known after watch_end: processes still running */
    char orphan_names[640];   /* the first of these */
};

void watch_init(struct watch *watch, struct rundir *dir, struct bell *bell);
void watch_fini(struct watch *watch);

/* Call it when the root runs. `untraced`: why it does not carry the probe, or NULL. */
void watch_root(struct watch *watch, pid_t pid, uint64_t started, const char *untraced);

/* One pass: heartbeat, new mailboxes, visits, and everything else that is due. */
void watch_pass(struct watch *watch);
uint64_t watch_until_due(const struct watch *watch); /* nanoseconds to the next pass */

/* Call it after the root has ended with this wait status: last readings, orphans, OOM. */
void watch_end(struct watch *watch, int status);

/* Records the processor time of the whole run. `worked`: that of the program; 0: not known. */
void watch_keep_effort(const struct watch *watch, uint64_t worked);

/* Call it before a signal ends the root: takes the readings of its last round. */
void watch_last_readings(struct watch *watch);

void watch_note(struct watch *watch, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* TARE_RUN_WATCH_H */
