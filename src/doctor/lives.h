/* lives.h - the sampled blocks of one size class, dead and alive, by site and birth. */
#ifndef TARE_DOCTOR_LIVES_H
#define TARE_DOCTOR_LIVES_H

#include "doctor/series.h"

struct life {
    uint32_t site;         /* index into model->sites; columns that join: the first of its stack */
    uint64_t birth, death; /* ticks; death 0: alive at the last tick */
    uint64_t size;
    bool later;   /* released after the last tick */
    double units; /* blocks it stands for; pages for a mapping */
};

struct lives {
    unsigned column;
    struct life *items; /* by site, then by birth; owned by the arena, as the next */
    uint32_t *by_birth; /* indexes of the items in the order of births */
    size_t count;
    /* Ticks. Of births after them … */
    uint64_t complete; /* every late death is among the items */
    uint64_t uniform;  /* all were sampled by the same rule */
    uint64_t until;    /* last tick at which they were followed */
    uint64_t certain;  /* every block is among the items; UINT64_MAX: there is only a sample */
};

/* Collects the blocks of a column: a size class, SERIES_MAPS, or one that joins (series.h), where
 * blocks of one stack are one site whatever their size. What was released after the last
 * tick (the program cleaning up at its end) counts as alive: it is judged as of the last tick. */
void lives_collect(struct lives *out, const struct model *model, const struct series *series,
                   unsigned column, struct arena *arena);

/* How many blocks of a site ever died at an age of at least `age` ticks, up to the last: `items`
 * are all of one site or all there are. Where the ring of deaths has turned over, by the
 * histograms. */
uint64_t lives_died_old(const struct model *model, const struct series *series,
                        const struct lives *lives, const struct life *items, size_t count,
                        uint64_t age);

#endif /* TARE_DOCTOR_LIVES_H */
