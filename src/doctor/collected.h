/* collected.h - what a collection of garbage released. */
#ifndef TARE_DOCTOR_COLLECTED_H
#define TARE_DOCTOR_COLLECTED_H

#include "doctor/series.h"

#define COLLECTED_TURNS 4 /* of the event loop, within which finalizers have run */

struct collected {
    bool asked;        /* a collection was made that says something */
    bool script;       /* of JavaScript, whose memory nothing but a collection releases … */
    bool late;         /* … when the program was over: what it released may have been held before */
    bool own;          /* … and nobody asked for it: the engine collected by itself */
    bool turnless;     /* … and no turn of the event loop came behind it, in which an add-on could have
                        * released anything, for as long as this line was at work … */
    bool went;         /* … but then most of what memory had grown by went */
    uint64_t made;     /* of JavaScript: blocks that were made before this ordinal have met it */
    uint64_t released; /* sampled blocks of the site that died with it, just before or since */
    uint64_t bytes;    /* their size */
    uint64_t freed;    /* live bytes before it, less those after it */
    uint64_t alive;    /* those that are still there */
    uint64_t gone;     /* those that went just before it, when the program let go of all */
};

/* `site`: index into model->sites; all size classes of its stack count. */
void collected_of(struct collected *out, const struct model *model, uint32_t site);

/* Of the site's blocks that have met the collection, those that outlived it and were made behind this tick:
 * not while the program was set up. */
uint64_t collected_left(const struct collected *collected, const struct model *model,
                        const struct series *series, uint32_t site, uint64_t tick);

/* Has there been a full collection after this tick, asked for or by itself? */
bool collected_since(const struct model *model, const struct series *series, uint64_t tick);

/* The ordinal of the last step of the program's own; behind it functions have returned. 0: it made none. */
uint64_t collected_last_work(const struct model *model);

/* Live bytes that the latest collection returned; 0: there was none. */
double collected_bytes(const struct model *model);

/* The tick of the last collection that was asked for while the program was at work; 0: there was none.
 * What it left alive was held, even if the end of the program let go of it. */
uint64_t collected_at_work(const struct model *model, const struct series *series);

/* Most of what was there died with the collection: it waited for the collector, nobody held it. What
 * a program lets go of itself, at its end, dies in the same step, but not by the collection. */
bool collected_lag(const struct collected *collected);

/* JavaScript ran in this process. */
bool collected_by_script(const struct model *model);

/* A framework of JavaScript has its tensors on a device, of whose work the event loop is told. */
bool collected_device(const struct model *model);

/* … and the event loop has not turned while the program was at work, but when it was over most of what memory
 * had grown by went. */
bool collected_waited(const struct model *model);

/* The innermost frame of this stack is JavaScript's. */
bool collected_is_script(const struct model *model, uint32_t stack);

/* The engine's own count of what its objects hold outside of its heap has risen as much: these are its
 * buffers, which no add-on loses. */
bool collected_counted(const struct model *model, const struct model_site *site);

/* Did this intervention make JavaScript's engine collect all it can? It does so before it writes its heap
 * down, too. */
bool collected_all(const struct intervention_record *record);

#endif /* TARE_DOCTOR_COLLECTED_H */
