/* container.h - rule G: a container that grows by reallocation.
 *
 * A container replaces its block with a larger one again and again, so no counter of blocks rises.
 * Three conditions identify it. Live bytes rise in every part of the run. The counters of blocks do
 * not explain the rise. One stack has a few large blocks that are resized or replaced all the time
 * and are as large as the growth.
 */
#ifndef TARE_DOCTOR_CONTAINER_H
#define TARE_DOCTOR_CONTAINER_H

#include "doctor/measure/series.h"
#include "doctor/facts/stats.h"

struct grown {
    uint32_t site;        /* site of the newest block, index into model->sites */
    uint64_t bytes;       /* size of the container now */
    uint64_t blocks;      /* number of blocks that the container has */
    uint64_t times;       /* how often its blocks were resized or replaced */
    uint64_t rose;        /* rise of live bytes over the window */
    uint64_t first, last; /* first and last tick of the window */
    struct slope rate;    /* growth in bytes per tick */
};

/* Finds the largest growing container. False: there is none. */
bool grown_find(struct grown *out, const struct model *model, const struct series *series);

#endif /* TARE_DOCTOR_CONTAINER_H */
