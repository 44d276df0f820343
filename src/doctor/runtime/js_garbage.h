/* js_garbage.h - the counters of a JavaScript process without the garbage in them. */
#ifndef TARE_DOCTOR_JS_GARBAGE_H
#define TARE_DOCTOR_JS_GARBAGE_H

#include "doctor/measure/series.h"

/* Only the collector releases buffers and managed tensors, many at once and at a time of its
 * choice. So their counters have saw teeth, and a tooth at the end of a run hides a leak. This
 * function takes each block that a collection released out of every point between its birth and
 * its death. The rest counts what no collection has released so far. Sampled blocks stand for
 * the others. */
void js_garbage_take_out(struct series *series, const struct model *model, struct arena *arena);

#endif /* TARE_DOCTOR_JS_GARBAGE_H */
