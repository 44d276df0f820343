/* trial.h - what all sites of one suspect share while they are judged. */
#ifndef TARE_DOCTOR_TRIAL_H
#define TARE_DOCTOR_TRIAL_H

#include "doctor/classes.h"
#include "doctor/envelope.h"
#include "doctor/lives.h"
#include "doctor/stats.h"

struct trial {
    const struct model *model; /* all borrowed */
    const struct series *series;
    const struct suspect *suspect;
    const struct lives *lives;
    struct envelope own, total;        /* of the class, and of all classes */
    uint64_t from, to, age;            /* births in (from, to - age] are old at `to` */
    uint64_t counter_from, counter_to; /* the ticks over which the class's counter is judged */
    uint64_t sites;                    /* with births in the window */
    bool blind; /* parts of the window have no record: nothing is known of its growth */
    double net, net_total;             /* growth of the class and of all classes over the window */
    double net_bytes;      /* growth of live bytes, of all classes; of tensors: of theirs */
    double survivors;      /* units of all sites' survivors */
    double survivor_bytes; /* and their bytes */
};

void trial_prepare(struct trial *out, const struct model *model, const struct series *series,
                   const struct suspect *suspect, const struct lives *lives);
void trial_finish(struct trial *trial);

double trial_window(const struct trial *trial); /* ticks */

/* The class grows, and all classes together do not: something leaves instead. */
bool trial_others_leave(const struct trial *trial);

/* Born in the window, old by now, and alive. */
bool trial_counts(const struct trial *trial, const struct life *life);

/* The lasting part of the class's counter no longer rises. */
bool trial_has_stopped(const struct trial *trial);

/* It still rises, but markedly more slowly than before. `units_of_one`: of one block. */
bool trial_is_slowing(const struct trial *trial, double units_of_one);

/* Large blocks are sampled and small ones hardly, so that a mean size says nothing; but the sum of bytes is
 * known exactly. */
bool trial_knows_bytes(const struct trial *trial);

/* The exact counter of the class grows by half of what survives, or more. `scale`: of survivors that are
 * not old yet. */
bool trial_agrees(const struct trial *trial, double scale);

/* Growth of the class in units per tick, and the tick at which it began. */
struct slope trial_slope(const struct trial *trial);
struct slope trial_slope_bytes(const struct trial *trial); /* of all live bytes, per tick */
uint64_t trial_begin(const struct trial *trial);

#endif /* TARE_DOCTOR_TRIAL_H */
