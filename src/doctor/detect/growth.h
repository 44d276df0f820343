/* growth.h - the facts of a finding whose blocks survive. */
#ifndef TARE_DOCTOR_GROWTH_H
#define TARE_DOCTOR_GROWTH_H

#include "doctor/measure/collected.h"
#include "doctor/measure/visit.h"
#include "doctor/held/reach.h"

/* Counts of one finding, added up over its cohorts. */
struct facts_of_growth {
    uint64_t alive, released; /* sampled blocks that grew old: still alive, or released late */
    uint64_t first, last;     /* ticks of their births */
    uint64_t until;           /* tick up to which some of them were followed */
    bool certain;             /* every block was seen */
    bool map;
    enum reach reach;
    struct collected collected;
};

void growth_facts(struct finding *out, const struct visit *visit, const struct facts_of_growth *growth);

/* How many of the finding's blocks survived a collection. */
struct fact growth_collected(const struct finding *out, const struct visit *visit,
                             const struct collected *collected);

/* Finds the cycle that the blocks belong to, if one was seen, and makes it the finding's path. */
void growth_cycle(struct finding *out, const struct visit *visit);

#endif /* TARE_DOCTOR_GROWTH_H */
