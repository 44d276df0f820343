/* container.h - rule G: a container that grows by reallocation.
 *
 * Its block is replaced by a larger one again and again, so no counter of blocks moves. Three signs
 * show it. Live bytes rise in every part of the run. The counters of blocks do not explain the
 * rise. One place holds a few large blocks that are resized or replaced all the time and are as
 * large as the growth.
 */
#ifndef TARE_DOCTOR_CONTAINER_H
#define TARE_DOCTOR_CONTAINER_H

#include "doctor/measure/series.h"
#include "doctor/facts/stats.h"

struct grown {
    uint32_t site;  /* index into model->sites: the site of its newest block */
    uint64_t bytes; /* its size now */
    uint64_t blocks;
    uint64_t times;       /* how often it was resized or replaced */
    uint64_t rose;        /* rise of live bytes over the window */
    uint64_t first, last; /* ticks of the window */
    struct slope rate;    /* bytes per tick */
};

/* True when there is one. */
bool grown_find(struct grown *out, const struct model *model, const struct series *series);

#endif /* TARE_DOCTOR_CONTAINER_H */
