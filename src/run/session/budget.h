/* budget.h - `--budget SIZE`: warn that memory will exceed it, and write a diagnosis shortly before.
 *
 * The warning is printed once and is computed from the leaks that the doctor found. The flight recorder
 * writes the whole diagnosis into the run's directory, once, when the resident size of all processes
 * reaches BUDGET_NEARLY of the budget, or the cgroup that part of one of its limits: before the kernel
 * can end the program. The program continues.
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

struct budget {
    uint64_t bytes; /* 0: no budget */
    uint64_t next;  /* time of the next check */
    bool warned;    /* the warning was printed */
    bool recorded;  /* the flight recorder has written */
};

/* Called after each pass of the watch. */
void budget_pass(struct budget *budget, struct watch *watch);

#endif /* TARE_RUN_BUDGET_H */
