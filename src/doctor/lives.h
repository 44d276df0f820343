/* lives.h - the sampled blocks of one size class, dead and alive, by site and birth. */
#ifndef TARE_DOCTOR_LIVES_H
#define TARE_DOCTOR_LIVES_H

#include "doctor/series.h"

struct life {
    uint32_t site;         /* index into model->sites */
    uint64_t birth, death; /* ticks; death 0: alive at the last tick */
    uint64_t size;
    bool later;   /* released after the last tick */
    double units; /* blocks it stands for; pages for a mapping */
};

struct lives {
    struct life *items; /* by site, then by birth; owned by the arena */
    size_t count;
    uint64_t complete; /* births after this tick: every late death is among the items */
    uint64_t certain;  /* births after this tick: every block is among the items; UINT64_MAX: sampled */
};

/* Collects the blocks of a column: a size class, or SERIES_MAPS. What was released after the last
 * tick (the program cleaning up at its end) counts as alive: it is judged as of the last tick. */
void lives_collect(struct lives *out, const struct model *model, const struct series *series,
                   unsigned column, struct arena *arena);

/* How many of the blocks of these sites (lives by site) ever died at an age of at least `age`
 * ticks, up to the last; where the ring of deaths has turned over, by the sites' histograms. */
uint64_t lives_died_old(const struct model *model, const struct series *series,
                        const struct life *lives, size_t count, uint64_t age);

#endif /* TARE_DOCTOR_LIVES_H */
