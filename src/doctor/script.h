/* script.h - what is judged otherwise where JavaScript runs: its memory is released by a collector
 * that comes when it sees fit, and its engine allocates much beside the program's own objects. */
#ifndef TARE_DOCTOR_SCRIPT_H
#define TARE_DOCTOR_SCRIPT_H

#include "doctor/visit.h"

#define SCRIPT_HEAP "objects of the JavaScript heap" /* a holder, until a snapshot tells more */

/* What a collection released was waiting for it. Of what is under suspicion only, also when that came
 * after the program's end. */
bool script_cleared(const struct visit *visit, uint32_t site);

/* Are the blocks by which a class rose still there, as far as samples show? True without JavaScript. What
 * one request takes at a time, and what waits for the collector, goes up and down with where a step ends. */
bool script_stayed(const struct visit *visit, const struct standstill *still);

/* Garbage is a queue too: here one counts only when a collection has left most of it, and never what
 * the engine keeps for itself. Always false where no JavaScript runs. */
bool script_waits(const struct visit *visit, uint32_t site);

/* Have collections while the program ran taken nearly all tensors that they met? Then that their count rises
 * between two of them says nothing. */
bool script_tensors_go(const struct visit *visit);

/* What the engine allocates beside each object of the program has no line of the program's. */
bool script_bookkeeping(const struct visit *visit, uint32_t site);

/* The same where no step tells the program's set-up from its work: the engine's pages have their own records,
 * and what they are for is judged by the heap's size alone. */
bool script_pages(const struct visit *visit, uint32_t site);

/* Takes out the findings about what V8 has allocated to sample its heap for us. */
void script_drop_own(struct visit *visit);

/* About the count that a framework itself shows, where most of it is garbage that is gone. NULL:
 * nothing to say. */
const char *script_note(const struct visit *visit);

/* The site that made most of the objects that are alive, as the engine has sampled them; UINT32_MAX: none. */
uint32_t script_maker(const struct model *model);

/* The heap of JavaScript itself: does it hold more behind each full collection? */
void script_heap(struct visit *visit);

/* A heap has a limit of its own: where that is nearest, it is what the growth will meet. */
void script_forecast(const struct visit *visit, struct forecast *out);

/* The program gave up because its heap was full: what that was. NULL: it did not. `ended`: how. */
const char *script_full(const struct visit *visit, const char *ended);

/* Who holds what was found could be read from its heap: it is held by objects, and no snapshot has been
 * taken. */
bool script_wants_snapshot(const struct model *model, const struct process_report *report);

bool script_heap_suspect(const struct model *model); /* it may grow, and more collections would tell */
bool script_heap_rising(const struct model *model);  /* it left more than one a second before */
bool script_heap_scarce(const struct model *model);  /* a quarter of its limit is in use */

/* Bytes in use of a heap that is written down at most; `last`: in the last round. */
uint64_t script_snapshot_most(bool scarce, bool last);

#endif /* TARE_DOCTOR_SCRIPT_H */
