/* visit.h - one examination of one process: the data that the judge and its helpers share. */
#ifndef TARE_DOCTOR_VISIT_H
#define TARE_DOCTOR_VISIT_H

#include "base/arena.h"
#include "doctor/measure/cohort.h"
#include "doctor/measure/runtime.h"
#include "doctor/facts/diagnosis.h"

#define VISIT_FINDINGS_MAX 64
#define VISIT_NOTES_MAX    16

/* What became of one column's suspicion: its best cohort over all windows. */
struct outcome {
    bool suspected;                /* the column is suspected; else the rest is empty */
    struct cohort best;            /* its best cohort */
    const struct suspect *suspect; /* the window of `best`; borrowed from the visit */
};

/* One entry of the trail: what one rule found out about a site. */
struct trail_entry {
    struct fact fact; /* the rule and its numbers */
    uint32_t site; /* index + 1 of the site; 0: it is about the process */
};

#define VISIT_TRAIL_MAX 256

struct visit {
    const struct model *model; /* borrowed */
    const struct runtime *runtime; /* of the process; never NULL */
    const struct run *run;     /* borrowed; may be NULL */
    struct places *places;     /* borrowed; may be NULL */
    struct arena *arena;   /* the arena of the diagnosis, for everything that the report keeps */
    struct arena *scratch; /* the arena of this visit */
    struct clock_choice clock;
    struct series series;
    struct suspect suspects[CLASSES_SUSPECTS_MAX];
    size_t suspect_count;
    struct outcome outcomes[SERIES_COLUMNS]; /* the outcome of each column's suspects */
    struct lives lives[SERIES_COLUMNS]; /* `items` is NULL until visit_lives() fills it */
    struct finding findings[VISIT_FINDINGS_MAX];
    size_t finding_count;
    struct slope growth; /* bytes per tick of everything that grows in the host's memory */
    struct slope device_growth[LEDGER_DEVICES]; /* the same for each device, by its number */
    bool heap_full;      /* the program ended because its engine's heap was full */
    struct fact lacks;   /* what is missing for any verdict; FACT_none: nothing */
    struct fact notes[VISIT_NOTES_MAX]; /* notes about the process */
    size_t note_count;
    struct trail_entry trail[VISIT_TRAIL_MAX];
    size_t trail_count;
    size_t trail_lost; /* entries for which there was no room */
};

/* A visit to a process, with nothing measured yet. NULL: no memory. `arena` keeps what the
 * report keeps. `arena`, `run` and `places` are borrowed; `run` and `places` may be NULL. */
struct visit *visit_new(const struct model *model, const struct run *run, struct places *places,
                        struct arena *arena);
bool visit_is_whole(const struct visit *visit); /* false: NULL, or memory ran short */
void visit_free(struct visit *visit);

/* The blocks of a column. The first call collects them. */
const struct lives *visit_lives(struct visit *visit, unsigned column);

/* The site with most bytes that were allocated during the ticks and are alive at the last one;
 * UINT32_MAX: none. */
uint32_t visit_kept_site(struct visit *visit);

/* Adds a note about the process. FACT_none adds nothing. */
void visit_note(struct visit *visit, struct fact note);

/* Adds a rule's fact about this site to the trail (`site`: index + 1; 0: about the process). */
void visit_trail(struct visit *visit, uint32_t site, struct fact fact);

/* Room for one more finding, or NULL: there are enough. */
struct finding *visit_add(struct visit *visit);

/* Converts a rate per tick to a finding's rate: per clock_rate_name, with its bounds in order. */
struct interval visit_rate(const struct visit *visit, struct slope per_tick);

/* The growth that memory of this site (index into model->sites) is part of: the host's or a device's. */
struct slope *visit_growth_of(struct visit *visit, uint32_t site);

/* Bytes per tick of everything that grows, in all memories. */
double visit_all_growth(const struct visit *visit);

/* Adds so many bytes per tick to the visit's growth and remembers them as this finding's part. */
void visit_grow(struct visit *visit, struct finding *finding, struct slope per_tick);

/* Subtracts the finding's part from the visit's growth: it will stop by itself, or is not the
 * program's. */
void visit_discount(struct visit *visit, struct finding *finding);

/* If everything that grows together has a lower rate than this, nothing is a finding. Bytes per
 * tick. */
double visit_floor(const struct visit *visit);

/* Resident size at the last step; 0: not known. */
double visit_resident(const struct visit *visit);

/* True if this growth, in bytes per tick, is so small that it may be set-up or results. Only
 * slices of time and turns of a loop cannot separate these from work; with other clocks it is
 * false. */
bool visit_is_little(const struct visit *visit, double per_tick);

/* Mean size in bytes of a column's live blocks. */
double visit_size(const struct visit *visit, unsigned column);

/* The path of the examined program, if this process started it; then its interpreter may run
 * helpers. NULL: another process started it. The ledger that names it may come from anyone, so
 * it must not be run. */
const char *visit_interpreter(const struct visit *visit);

/* True if both sites (indexes) allocate at the same line, or by the same stack if lines are not
 * known. */
bool visit_same_line(const struct visit *visit, uint32_t left, uint32_t right);

#endif /* TARE_DOCTOR_VISIT_H */
