/* imports.h - memory that is allocated while modules are imported.
 *
 * A module is loaded once and stays. With a clock that ticks with the work, its memory is allocated
 * before the first step. With slices of time it looks like growth while modules load, which takes
 * seconds for a framework. So along slices of time, memory allocated by an import is not a leak.
 */
#ifndef TARE_DOCTOR_IMPORTS_H
#define TARE_DOCTOR_IMPORTS_H

#include <stdbool.h>
#include <stdint.h>

struct model;       /* ledger/model.h */
struct model_frame; /* the same */

/* True if this frame belongs to Python's import system. */
bool imports_frame(const struct model *model, const struct model_frame *frame);

/* True if a Python import is among the callers of this site. False for a site that is out of range. */
bool imports_made(const struct model *model, uint32_t site);

#endif /* TARE_DOCTOR_IMPORTS_H */
