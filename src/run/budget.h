/* budget.h - `--budget SIZE`: warn when memory will reach it, and write a diagnosis just before it
 * does.
 *
 * The warning comes from the leaks that the doctor has found, once. The flight recorder writes the
 * whole diagnosis into the run's directory when the resident size of all processes has reached
 * BUDGET_NEARLY of the budget, or the cgroup as much of one of its limits: once, and before the
 * kernel can end the program. The program continues.
 */
#ifndef TARE_RUN_BUDGET_H
#define TARE_RUN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "run/watch.h"

#define BUDGET_NEARLY  0.95
#define BUDGET_ROOM    (32ull << 20) /* of a cgroup's limit kept for the diagnosis itself, which is
                                     * made inside the same cgroup; at most half of the limit */
#define BUDGET_HORIZON 86400.0 /* seconds: no warning about what is further away */

struct budget {
    uint64_t bytes; /* 0: there is none */
    uint64_t next;  /* not before this time */
    bool warned, recorded;
};

/* After each pass of the watch. */
void budget_pass(struct budget *budget, struct watch *watch);

#endif /* TARE_RUN_BUDGET_H */
