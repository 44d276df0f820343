/* evidence.h - the sentences of a finding. Every number in them is a field or adds up to one. */
#ifndef TARE_DOCTOR_EVIDENCE_H
#define TARE_DOCTOR_EVIDENCE_H

#include "doctor/arenas.h"
#include "doctor/backlog.h"
#include "doctor/grown.h"
#include "doctor/collected.h"
#include "doctor/reach.h"
#include "doctor/resident.h"
#include "doctor/visit.h"

/* Counts of one finding, added up over its cohorts. */
struct facts_of_growth {
    uint64_t alive, released; /* sampled blocks that grew old: still there, or released late */
    uint64_t first, last;     /* ticks of their births */
    bool certain;             /* every block was seen */
    bool map;
    enum reach reach;
    struct collected collected;
};

#define EVIDENCE_NOT_SOUGHT "What holds them was not looked for" /* and perhaps why */

/* "1.0 KB per step". */
/* "1 step", "300 batches". */
const char *evidence_ticks(const struct visit *visit, uint64_t count);

const char *evidence_rate(const struct visit *visit, double per_tick);

/* One more sentence, in the arena. */
void evidence_say(struct finding *out, const struct visit *visit, const char *sentence);

void evidence_growth(struct finding *out, const struct visit *visit,
                     const struct facts_of_growth *facts);
/* Several findings have become one. */
void evidence_joined(struct finding *out, const struct visit *visit);
/* A collection at this tick released what had waited. */
void evidence_lag(struct finding *out, const struct visit *visit, const struct collected *collected,
                  const struct intervention_record *collection, uint64_t tick);
void evidence_arenas(struct finding *out, const struct visit *visit, const struct pinned *pinned);
/* A container that is bounded and not full: what it will hold in the end. */
void evidence_bounded(struct finding *out, const struct visit *visit);
/* A cache that counts its hits. */
void evidence_cache(struct finding *out, const struct visit *visit);
void evidence_backlog(struct finding *out, const struct visit *visit,
                      const struct backlog *backlog);
void evidence_container(struct finding *out, const struct visit *visit, const struct grown *grown);
void evidence_heap(struct finding *out, const struct visit *visit, uint64_t collections,
                   uint64_t first, uint64_t last);
void evidence_resident(struct finding *out, const struct visit *visit,
                       const struct resident *resident);
void evidence_short(struct finding *out, const struct visit *visit, const struct cohort *cohort);
void evidence_slowing(struct finding *out, const struct visit *visit, const struct cohort *cohort);
void evidence_early(struct finding *out, const struct visit *visit);
void evidence_plateau(struct finding *out, const struct visit *visit,
                      const struct standstill *still, uint64_t bytes);

/* The process's answer to "Does it leak?". */
const char *evidence_answer(const struct visit *visit, enum kind verdict,
                            const struct forecast *forecast);

#endif /* TARE_DOCTOR_EVIDENCE_H */
