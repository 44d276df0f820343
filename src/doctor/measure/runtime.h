/* runtime.h - what differs between the languages that a process may run.
 *
 * doctor/runtime/ has one file for each: native.c, python.c, js.c. If a rule would ask "is it
 * JavaScript?", add a property here that says what is different, and let the rule read it.
 */
#ifndef TARE_DOCTOR_RUNTIME_H
#define TARE_DOCTOR_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "doctor/facts/fact.h"
#include "doctor/facts/remedy.h"

struct arena;          /* base/arena.h */
struct cohort;         /* doctor/measure/cohort.h */
struct collected;      /* doctor/measure/collected.h */
struct finding;        /* doctor/facts/diagnosis.h */
struct model;          /* ledger/model.h */
struct process_report; /* doctor/facts/diagnosis.h */
struct series;         /* doctor/measure/series.h */
struct standstill;     /* doctor/measure/classes.h */
struct visit;          /* doctor/measure/visit.h */

struct runtime {
    const char *name; /* for example "python" */
    /* A collector frees its objects. Each has hundreds of bytes, so a short record of each step
     * is not a leak. */
    bool managed;
    /* The engine maps the heap of its objects itself and reports its size. */
    bool own_heap;
    /* Native memory of its objects is freed late: finalizers run some time after a collection,
     * so live memory is a saw tooth. */
    bool frees_later;
    /* What a search finds after the program's work may not be what held the blocks, because
     * functions have returned. */
    bool doubts_late_search;
    /* Blocks of all sizes that one line allocates have the same holder. */
    bool sizes_alike;
    /* Its programs import and build for a long time before they work. */
    bool loads_first;
    enum remedy_name lag_remedy; /* advice for garbage that waits for the collector */

    bool (*present)(const struct model *model); /* the process runs it */
    /* Reads what collections released and left of this site (an index). */
    void (*collected)(struct collected *out, const struct model *model, uint32_t site);
    /* The ordinal in which a finished program's work ended, if the process ran longer; else 0. */
    uint64_t (*end_fall)(const struct model *model);
    /* Takes garbage that was released late out of the counters. */
    void (*take_out_garbage)(struct series *series, const struct model *model, struct arena *arena);
    /* No collection has shown whether these blocks were held, and they may be garbage. */
    bool (*unproven)(const struct collected *collected, const struct visit *visit,
                     const struct cohort *cohort);
    /* The blocks of this site (an index) look like a queue, but are garbage that waits. */
    bool (*waits)(const struct visit *visit, uint32_t site);
    /* The blocks by which a class rose are still alive, as far as samples show. */
    bool (*stayed)(const struct visit *visit, const struct standstill *still);
    /* The engine allocates this site's memory beside each object of the program. */
    bool (*bookkeeping)(const struct visit *visit, uint32_t site);
    /* The engine allocates this site's memory in pages of its own, and no step separates the
     * program's set-up from its work. */
    bool (*pages)(const struct visit *visit, uint32_t site);
    /* The engine allocated the finding's memory for tare. */
    bool (*own)(const struct finding *finding);
    /* If the program ended because its engine's heap was full: the note about it; else FACT_none. */
    struct fact (*heap_full)(const struct visit *visit, const struct process_report *report);
    /* Adds notes about the process. */
    void (*add_notes)(struct visit *visit);
};

/* The runtime that decides how this process is judged; never NULL. */
const struct runtime *runtime_of(const struct model *model);

#endif /* TARE_DOCTOR_RUNTIME_H */
