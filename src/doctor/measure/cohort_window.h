/* cohort_window.h - the data that all sites of one suspect share while they are judged. */
#ifndef TARE_DOCTOR_COHORT_WINDOW_H
#define TARE_DOCTOR_COHORT_WINDOW_H

#include "doctor/measure/classes.h"
#include "doctor/measure/envelope.h"
#include "doctor/measure/lives.h"
#include "doctor/facts/stats.h"

struct trial {
    const struct model *model;         /* the ledger's contents; borrowed */
    const struct series *series;       /* counters at ticks; borrowed */
    const struct suspect *suspect;     /* the class and window that is judged; borrowed */
    const struct lives *lives;         /* sampled blocks of the class; borrowed */
    struct envelope own;               /* lasting part of the class's counter */
    struct envelope total;             /* lasting part of the counter of all classes */
    uint64_t from, to;                 /* the window is the ticks (from, to] */
    uint64_t age;                      /* a block of this age in ticks is old */
    uint64_t counter_from, counter_to; /* the ticks over which the class's counter is judged */
    uint64_t sites;                    /* sites with births in the window */
    bool blind; /* parts of the window have no record, so its growth is not known */
    double net;            /* growth of the class over the window, in blocks or pages */
    double net_total;      /* growth of all classes over the window, in blocks */
    double net_bytes;      /* growth of live bytes of all classes; for tensors, of tensor bytes */
    double survivors;      /* units of the survivors of all sites */
    double survivor_bytes; /* bytes of the survivors of all sites */
};

void trial_prepare(struct trial *out, const struct model *model, const struct series *series,
                   const struct suspect *suspect, const struct lives *lives);
void trial_finish(struct trial *trial);

double trial_window(const struct trial *trial); /* ticks */

/* The class grows, but all classes together do not: other blocks leave in exchange. Both the
 * number of blocks and their bytes must say so. */
bool trial_others_leave(const struct trial *trial);

/* The block was born in the window, is old, and is alive. */
bool trial_counts(const struct trial *trial, const struct life *life);

/* The lasting part of the class's counter no longer rises. */
bool trial_has_stopped(const struct trial *trial);

/* The class's counter still rises, but much more slowly than before. `units_of_one`: units of
 * one block. */
bool trial_is_slowing(const struct trial *trial, double units_of_one);

/* The sum of bytes is counted exactly. It is needed where the mean size of the sample is
 * useless, because large blocks are sampled and small ones hardly. */
bool trial_knows_bytes(const struct trial *trial);

/* The exact counter of the class grows by at least half of the survivors. `scale` corrects for
 * survivors that are not old yet. */
bool trial_agrees(const struct trial *trial, double scale);

/* Growth of the class in units per tick, and the tick at which it began. */
struct slope trial_slope(const struct trial *trial);
struct slope trial_slope_bytes(const struct trial *trial); /* growth of all live bytes per tick */
uint64_t trial_begin(const struct trial *trial);

#endif /* TARE_DOCTOR_COHORT_WINDOW_H */
