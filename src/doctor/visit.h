/* visit.h - one look at one process: what the judge and its helpers share. */
#ifndef TARE_DOCTOR_VISIT_H
#define TARE_DOCTOR_VISIT_H

#include "base/arena.h"
#include "doctor/cohort.h"
#include "doctor/diagnosis.h"

#define VISIT_FINDINGS_MAX 64

struct visit {
    const struct model *model; /* borrowed, as run and places; those two may be NULL */
    const struct run *run;
    struct places *places;
    struct arena *arena;   /* of the diagnosis: what the report keeps */
    struct arena *scratch; /* of this visit */
    struct clock_choice clock;
    struct series series;
    struct suspect suspects[CLASSES_SUSPECTS_MAX];
    size_t suspect_count;
    struct lives lives[SERIES_COLUMNS]; /* items NULL until asked for */
    struct finding findings[VISIT_FINDINGS_MAX];
    size_t finding_count;
    struct slope growth; /* bytes per tick of all that was found to grow */
};

/* The blocks of a column, collected once. */
const struct lives *visit_lives(struct visit *visit, unsigned column);

/* The site of which most bytes were made during the ticks and are alive at the last one; UINT32_MAX: none. */
uint32_t visit_kept_site(struct visit *visit);

/* Room for one more finding, or NULL: there are enough. */
struct finding *visit_add(struct visit *visit);

/* A rate per tick as a finding has it: per clock_unit, and its bounds in order. */
struct interval visit_rate(const struct visit *visit, struct slope per_tick);

/* One more thing that grows, by so many bytes per tick. */
void visit_grow(struct visit *visit, struct slope per_tick);

/* Below this rate of all that grows together nothing is a finding. Bytes per tick. */
double visit_floor(const struct visit *visit);

/* Resident size at the last step; 0: not known. */
double visit_resident(const struct visit *visit);

/* Slices of time and turns of a loop do not tell set-up and results from work: so little growth, in bytes
 * per tick, may be either. */
bool visit_is_little(const struct visit *visit, double per_tick);

/* Bytes of a mean block of a column that is alive. */
double visit_size(const struct visit *visit, unsigned column);

/* The program that was examined, if this process started it: its interpreter may be asked. NULL: it may not,
 * because the ledger that names it may come from anyone. */
const char *visit_interpreter(const struct visit *visit);

/* Do these sites, by index, allocate on one line, or by one stack where lines are not known? */
bool visit_same_line(const struct visit *visit, uint32_t left, uint32_t right);

#endif /* TARE_DOCTOR_VISIT_H */
