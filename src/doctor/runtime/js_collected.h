/* js_collected.h - what V8's collections released.
 *
 * The variables of a JavaScript module are gone when its last callback has run. A collection at the end
 * releases what was held all along, so only one in the middle of the run separates garbage from what is
 * held. V8's own full collections count as much as those that tare requested.
 */
#ifndef TARE_DOCTOR_JS_COLLECTED_H
#define TARE_DOCTOR_JS_COLLECTED_H

#include "doctor/measure/collected.h"

void js_collected(struct collected *out, const struct model *model, uint32_t site);

/* The ordinal in which the work of a finished script ended: from there on a collection made its
 * memory fall for good. What was released later was held until then. 0: there is no such
 * ordinal. */
uint64_t js_end_fall(const struct model *model);

/* A framework has its tensors on a device, and the event loop did not turn while the program was at work.
 * When the work was over, most of the growth of memory was released. */
bool js_waited(const struct model *model);

#endif /* TARE_DOCTOR_JS_COLLECTED_H */
