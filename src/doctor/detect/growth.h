/* growth.h - the facts of a finding whose blocks survive. */
#ifndef TARE_DOCTOR_GROWTH_H
#define TARE_DOCTOR_GROWTH_H

#include "doctor/measure/collected.h"
#include "doctor/measure/visit.h"
#include "doctor/held/reach.h"

/* Counts of one finding, added up over its cohorts. */
struct facts_of_growth {
    uint64_t alive;    /* old sampled blocks that are still alive */
    uint64_t released; /* old sampled blocks that were released late */
    uint64_t first;    /* first tick in which these blocks were born */
    uint64_t last;     /* last tick in which these blocks were born */
    uint64_t until;    /* last tick up to which some of these blocks were followed */
    bool certain;      /* every block was sampled */
    bool map;          /* the blocks are mappings */
    enum reach reach;  /* what the search for holders found */
    struct collected collected; /* what collections freed and left of these blocks */
};

/* Adds headline and facts to a finding whose kind and rate are final. */
void growth_facts(struct finding *out, const struct visit *visit, const struct facts_of_growth *growth);

/* How many of the finding's blocks survived a collection. */
struct fact growth_collected(const struct finding *out, const struct visit *visit,
                             const struct collected *collected);

/* Adds the reference cycle that the blocks belong to, if a search found one, and makes it the
 * finding's path. */
void growth_cycle(struct finding *out, const struct visit *visit);

#endif /* TARE_DOCTOR_GROWTH_H */
