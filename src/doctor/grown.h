/* grown.h - rule G: a container that grows by reallocation.
 *
 * Its block is replaced by a larger one again and again, so that no counter of blocks moves. What
 * shows it: live bytes rise in every part of the run, the counters of blocks do not explain it, and
 * one place holds a few large blocks, resized or replaced all the time, as large as the growth.
 */
#ifndef TARE_DOCTOR_GROWN_H
#define TARE_DOCTOR_GROWN_H

#include "doctor/series.h"
#include "doctor/stats.h"

struct grown {
    uint32_t site;  /* index into model->sites: of its newest block */
    uint64_t bytes; /* now */
    uint64_t blocks;
    uint64_t times;       /* resized or replaced */
    uint64_t rose;        /* live bytes, over the window */
    uint64_t first, last; /* ticks of the window */
    struct slope rate;    /* bytes per tick */
};

/* True when there is one. */
bool grown_find(struct grown *out, const struct model *model, const struct series *series);

#endif /* TARE_DOCTOR_GROWN_H */
