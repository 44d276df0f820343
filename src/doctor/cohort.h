/* cohort.h - of the blocks born at a step at a site, how many are alive much later?
 *
 * A suspect class is convicted or cleared by the lives of its sampled blocks. Nothing is remembered
 * between looks: the blocks that would have convicted earlier are in the ledger, alive or dead, so
 * that a finding whose cohort has died is withdrawn by the same rule that made it.
 */
#ifndef TARE_DOCTOR_COHORT_H
#define TARE_DOCTOR_COHORT_H

#include "doctor/classes.h"
#include "doctor/lives.h"
#include "doctor/stats.h"

enum cohort_state {
    COHORT_RELEASED, /* old blocks die, or the class does not grow by what survives */
    COHORT_STOPPED,  /* it grew, and has stopped */
    COHORT_SLOWING,  /* it grows, ever more slowly */
    COHORT_SHORT,    /* nothing speaks against it, but too little was seen */
    COHORT_GROWING   /* the old do not die, and new ones keep coming */
};

struct cohort {
    enum cohort_state state;
    unsigned column;
    uint32_t site; /* index into model->sites; of a pooled cohort the one with most survivors */
    bool pooled;   /* all sites of the class together */
    bool certain;  /* every block was seen, not a sample */
    bool heavy;
    uint64_t first, last;             /* births in these ticks, both included */
    uint64_t age;                     /* ticks after which a block counts as old */
    uint64_t alive;                   /* sampled blocks born in them and alive */
    uint64_t events;                  /* distinct ticks of their births */
    uint64_t released;                /* blocks born in the window that died old */
    uint64_t old_alive, old_released; /* of the whole run */
    uint64_t sites;                   /* that were tested beside it */
    double units, bytes;              /* what the survivors stand for */
    double tail;                      /* P-value of the survival test, times the number of sites */
    struct slope rate;                /* bytes per tick */
    uint64_t since;                   /* tick at which the growth began */
};

/* Judges one suspect: the best cohort of its sites, or of all of them together. */
void cohort_judge(struct cohort *out, const struct model *model, const struct series *series,
                  const struct suspect *suspect, const struct lives *lives);

/* The same for every site of a suspect that was convicted: those that grow by themselves, at most
 * `room`; or all sites as one where these explain too little of the growth. Returns their number.
 */
size_t cohort_members(struct cohort *out, size_t room, const struct model *model,
                      const struct series *series, const struct suspect *suspect,
                      const struct lives *lives);

#endif /* TARE_DOCTOR_COHORT_H */
