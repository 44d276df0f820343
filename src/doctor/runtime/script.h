/* script.h - the special rules for JavaScript. A collector releases its memory at any time, and its
 * engine allocates much in addition to the program's own objects. */
#ifndef TARE_DOCTOR_SCRIPT_H
#define TARE_DOCTOR_SCRIPT_H

#include "doctor/measure/visit.h"

#define SCRIPT_HEAP "objects of the JavaScript heap" /* a holder, until a snapshot shows more */

/* A collection released these blocks, so they were waiting for it. For suspects this includes a
 * collection after the program's end. */
bool script_cleared(const struct visit *visit, uint32_t site);

/* Are the blocks by which a class rose still alive, as far as samples show? True without
 * JavaScript. The memory of one request, and garbage, rise and fall depending on where a step
 * ends. */
bool script_stayed(const struct visit *visit, const struct standstill *still);

/* True if what looks like a queue is garbage, which also waits. A JavaScript queue counts only
 * if most of it survived a collection, and never if the engine keeps it for itself. Always false
 * without JavaScript. */
bool script_waits(const struct visit *visit, uint32_t site);

/* Did collections during the run free nearly all tensors that they examined? Then a tensor count
 * that rises between two collections does not count as evidence. */
bool script_tensors_go(const struct visit *visit);

/* Does this site make memory that the engine allocates with each of the program's objects? It
 * has no line. */
bool script_bookkeeping(const struct visit *visit, uint32_t site);

/* The same if no step separates the program's set-up from its work. The engine's pages have
 * their own records, and only the heap's size decides about their content. */
bool script_pages(const struct visit *visit, uint32_t site);

/* Is the finding about memory that V8 allocated to sample its heap for tare? */
bool script_is_own(const struct finding *finding);

/* A note about the framework's own tensor count, if most of it is garbage that was released. */
struct fact script_note(const struct visit *visit);

/* The site that made most of the live objects in the engine's samples; UINT32_MAX: none. */
uint32_t script_maker(const struct model *model);

/* The finding that the heap of JavaScript grows; NULL: there is none. */
const struct finding *script_heap_finding(const struct visit *visit);

/* At the last step; 0: not known. */
uint64_t script_gauge(const struct model *model, enum gauge_id gauge);

/* What filled the heap, if the program gave up because its heap was full. FACT_none: it did not. */
struct fact script_full(const struct visit *visit, const struct process_report *report);

/* A heap snapshot could show the holder: objects hold what was found, and there is no snapshot
 * yet. */
bool script_wants_snapshot(const struct model *model, const struct process_report *report);

bool script_heap_suspect(const struct model *model); /* it may grow; more collections would decide */

/* The end of a run that no collection has seen. */
struct unseen {
    uint64_t left; /* bytes after the latest collection */
    uint64_t now;  /* the least in use at the end of the run */
    double share;  /* of the run, since that collection */
};

/* True: the latest collection was before the last quarter of the run, and more is in use at the end than it
 * left. How much of that is kept is not known. */
bool script_heap_unseen(struct unseen *out, const struct model *model);

bool script_heap_rising(const struct model *model);  /* the latest collection left more than an earlier one */

#endif /* TARE_DOCTOR_SCRIPT_H */
