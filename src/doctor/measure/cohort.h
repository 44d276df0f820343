/* cohort.h - counts how many of the blocks born at a site in a step are alive much later.
 *
 * The lives of the sampled blocks convict or clear a suspect class. Each visit judges from the
 * ledger alone, which has every sampled block, alive or dead. So if a cohort dies, the next visit
 * does not report it any more.
 */
#ifndef TARE_DOCTOR_COHORT_H
#define TARE_DOCTOR_COHORT_H

#include "doctor/measure/classes.h"
#include "doctor/measure/lives.h"
#include "doctor/facts/stats.h"

enum cohort_state {
    COHORT_RELEASED, /* old blocks die, or the survivors do not make the class grow */
    COHORT_STOPPED,  /* it grew and has stopped */
    COHORT_SLOWING,  /* it grows more and more slowly */
    COHORT_SHORT,    /* it may grow, but the run was too short to decide */
    COHORT_GROWING   /* old blocks do not die, and new ones keep coming */
};

struct cohort {
    enum cohort_state state;
    unsigned column;
    uint32_t site; /* index into model->sites; of a pooled cohort: the site with most surviving bytes */
    bool pooled;   /* the cohort joins all sites of the class */
    bool certain;  /* every block was seen, not a sample */
    bool heavy;    /* the suspect's `heavy` */
    uint64_t first, last;             /* the window: births from tick `first` to tick `last` */
    uint64_t age;                     /* ticks after which a block counts as old */
    uint64_t until;                   /* tick up to which blocks were followed; later deaths were not seen */
    uint64_t alive;                   /* sampled blocks born in the window and still alive */
    uint64_t events;                  /* distinct birth ticks of these blocks */
    uint64_t released;                /* blocks born in the window that died old */
    uint64_t old_alive, old_released; /* old blocks of the whole run: alive, and released */
    uint64_t sites;                   /* number of sites tested together with this one */
    double units, bytes;              /* estimates that the sampled survivors stand for */
    double tail;                      /* P-value of the survival test, times the number of sites */
    struct slope rate;                /* bytes per tick */
    uint64_t since;                   /* tick at which the growth began */
};

/* Judges one suspect: the best cohort of its sites, or of all of them together. */
void cohort_judge(struct cohort *out, const struct model *model, const struct series *series,
                  const struct suspect *suspect, const struct lives *lives);

/* Judges every site of a convicted suspect. Fills `out` with at most `room` cohorts of sites that
 * grow. If these explain too little of the growth, fills it with one cohort of all sites instead.
 * Returns the number of cohorts.
 */
size_t cohort_members(struct cohort *out, size_t room, const struct model *model,
                      const struct series *series, const struct suspect *suspect,
                      const struct lives *lives);

#endif /* TARE_DOCTOR_COHORT_H */
