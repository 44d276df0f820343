/* fact.h - measurements that belong to a finding, without words.
 *
 * Rules fill in facts. When all rules are done, say/ makes sentences from them. So a later rule can
 * still change a finding, and no rule reads a sentence.
 */
#ifndef TARE_DOCTOR_FACT_H
#define TARE_DOCTOR_FACT_H

#include <stdint.h>

struct model_trace; /* ledger/model.h */
struct place;       /* doctor/facts/diagnosis.h */

/* What the samples of a fact are. */
enum fact_unit { UNIT_BLOCKS, UNIT_MAPPINGS, UNIT_SHARED };

enum fact_id {
    FACT_none,
#define FACT(name, numbers) FACT_##name,
#include "doctor/facts/facts.def"
#undef FACT
};

#define FACT_NUMBERS 7
#define FACTS_MAX    12 /* per finding; no rule adds nearly as many */

struct fact {
    enum fact_id id;
    uint64_t n[FACT_NUMBERS]; /* in the order that facts.def gives */
    double rate;              /* bytes per tick, or the number of seconds seen */
    double least;             /* the number of seconds needed */
    const char *text;         /* the name in facts.def; borrowed from the ledger, a table or the arena */
    const struct place *place;       /* borrowed from the places, or NULL */
    const struct model_trace *trace; /* borrowed from the ledger, or NULL */
};

/* FACT_OF(survived, 5, 6): a fact that has only numbers. */
#define FACT_OF(name, ...) ((struct fact){.id = FACT_##name, .n = {__VA_ARGS__}})

#endif /* TARE_DOCTOR_FACT_H */
