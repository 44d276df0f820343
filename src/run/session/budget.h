/* budget.h - `--budget SIZE`, `--budget gpu:SIZE`: warn that memory will exceed it, and write a diagnosis
 * shortly before.
 *
 * The warning is printed once and is computed from the leaks that the doctor found. The flight recorder
 * writes the whole diagnosis into the run's directory, once for each budget, when BUDGET_NEARLY of the
 * budget is reached: by the resident size of all processes, or by the memory of devices that they have
 * taken. A limit of the cgroup counts like the first budget: before the kernel can end the program. The
 * program continues.
 */
#ifndef TARE_RUN_BUDGET_H
#define TARE_RUN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "run/watch/watch.h"

#define BUDGET_NEARLY  0.95
#define BUDGET_ROOM    (32ull << 20) /* of a cgroup's limit kept for the diagnosis itself, which is
                                     * made inside the same cgroup; at most half of the limit */
#define BUDGET_HORIZON 86400.0 /* seconds: no warning about what is further away */

/* One memory and its budget. */
struct budget_part {
    uint64_t bytes; /* 0: no budget */
    bool warned;    /* the warning was printed */
    bool recorded;  /* the flight recorder has written */
};

struct budget {
    struct budget_part host, device;
    bool device_seen; /* a process with a device was seen */
    uint64_t next;    /* time of the next check */
};

/* Called after each pass of the watch. */
void budget_pass(struct budget *budget, struct watch *watch);

/* Called when the program has ended: a note if the memory of devices was never measured. */
void budget_end(struct budget *budget, struct watch *watch);

#endif /* TARE_RUN_BUDGET_H */
