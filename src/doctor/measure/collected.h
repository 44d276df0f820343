/* collected.h - what a garbage collection released. */
#ifndef TARE_DOCTOR_COLLECTED_H
#define TARE_DOCTOR_COLLECTED_H

#include "doctor/measure/series.h"

#define COLLECTED_TURNS 4 /* turns of the event loop after which finalizers have run */

struct collected {
    bool asked;        /* there was a collection that proves something about this site */
    bool script;       /* it was a JavaScript collection; nothing else releases that memory */
    bool late;         /* it ran after the program's work, so what it released may have been held before */
    bool own;          /* the engine started the collection, not tare */
    bool turnless;     /* the event loop did not turn between the collection and the line's last work, so no
                        * add-on could release anything then */
    bool went;         /* `turnless` holds, but later most of the growth of memory was released */
    uint64_t made;     /* JavaScript only: the collection examined blocks made before this ordinal */
    uint64_t released; /* sampled blocks of the site that died in, just before or since the collection */
    uint64_t bytes;    /* bytes of the `released` blocks */
    uint64_t freed;    /* live bytes before the collection minus live bytes after it */
    uint64_t alive;    /* sampled blocks of the site that are still alive */
    uint64_t gone;     /* blocks released just before it, when the program released everything */
};

/* Reads what collections did to the blocks of this site, as the process's runtime does. `site`:
 * index into model->sites; all size classes of its stack count. */
void collected_of(struct collected *out, const struct model *model, uint32_t site);

/* Does the same for a runtime of which only the collections that tare requested are recorded one
 * by one. */
void collected_requested(struct collected *out, const struct model *model, uint32_t site);

/* The number of the site's blocks that survived the collection and were made after this tick. A
 * tick after set-up leaves out the blocks of set-up. */
uint64_t collected_left(const struct collected *collected, const struct model *model,
                        const struct series *series, uint32_t site, uint64_t tick);

/* True if a full collection ran after this tick, on request or by itself. */
bool collected_since(const struct model *model, const struct series *series, uint64_t tick);

/* The ordinal of the program's last own step. Functions have returned after it. 0: the program
 * made no step. */
uint64_t collected_last_work(const struct model *model);

/* Live bytes that the latest collection returned; 0: there was none. */
double collected_bytes(const struct model *model);

/* The tick of the last requested collection while the program was at work; 0: there was none.
 * What survived it was held, even if it was released at the program's end. */
uint64_t collected_at_work(const struct model *model, const struct series *series);

/* Most blocks died with the collection: they waited for the collector, and nothing held them.
 * Blocks that the program itself releases at its end die in the same step, but do not count. */
bool collected_lag(const struct collected *collected);

/* A JavaScript framework has its tensors on a device, and the event loop learns when the device
 * is done. */
bool collected_device(const struct model *model);

/* The innermost frame of this stack is a JavaScript frame. */
bool collected_is_script(const struct model *model, uint32_t stack);

/* The engine's own count of memory that its objects hold outside its heap has risen as much. So
 * these blocks are its buffers, which an add-on cannot lose. */
bool collected_counted(const struct model *model, const struct model_site *site);

/* True if this intervention made the JavaScript engine collect all garbage. A heap snapshot does
 * that too. */
bool collected_all(const struct intervention_record *record);

#endif /* TARE_DOCTOR_COLLECTED_H */
