/* lives.h - the sampled blocks of one size class, dead and alive, by site and birth. */
#ifndef TARE_DOCTOR_LIVES_H
#define TARE_DOCTOR_LIVES_H

#include "doctor/measure/series.h"

/* One sampled block. */
struct life {
    uint32_t site;  /* index into model->sites; in columns that join: the first site of its stack */
    uint64_t birth; /* tick in which it was allocated */
    uint64_t death; /* tick in which it was released; 0: alive at the last tick */
    uint64_t size;  /* bytes */
    bool later;     /* it was released after the last tick */
    double units;   /* how many blocks it stands for; for a mapping, how many pages */
};

struct lives {
    unsigned column;    /* size class, or one of SERIES_MAPS etc. */
    struct life *items; /* ordered by site, then by birth; owned by the arena */
    uint32_t *by_birth; /* indexes of the items in the order of births; owned by the arena */
    size_t count;       /* number of items */
    uint64_t complete; /* tick; `items` has every late death of blocks born after it */
    uint64_t uniform;  /* tick; all blocks born after it were sampled by the same rule */
    uint64_t until;    /* the last tick at which the blocks were followed */
    uint64_t certain;  /* tick; `items` has every block born after it; UINT64_MAX: only a sample */
};

/* Collects the blocks of a column: a size class, SERIES_MAPS, or a column that joins (series.h),
 * where blocks of one stack are one site whatever their size. Blocks that were released after
 * the last tick, when the program cleaned up, count as alive: the run is judged as of the last
 * tick. */
void lives_collect(struct lives *out, const struct model *model, const struct series *series,
                   unsigned column, struct arena *arena);

/* How many blocks of a site died at an age of at least `age` ticks, up to the last tick. `items`
 * are all items of one site, or all items. If the ring of deaths has overwritten old entries,
 * the histograms of ages give the number. */
uint64_t lives_died_old(const struct model *model, const struct series *series,
                        const struct lives *lives, const struct life *items, size_t count,
                        uint64_t age);

#endif /* TARE_DOCTOR_LIVES_H */
