/* imports.h - memory that loading a program's modules made.
 *
 * A module is loaded once and stays. With a clock that ticks with the work, its memory is there
 * before the first step. With slices of time it looks like growth while modules load, which takes
 * seconds for a framework. So along slices of time, memory made by an import is not a leak.
 */
#ifndef TARE_DOCTOR_IMPORTS_H
#define TARE_DOCTOR_IMPORTS_H

#include <stdbool.h>
#include <stdint.h>

struct model;       /* ledger/model.h */
struct model_frame; /* the same */

/* Is this frame of the import system itself? */
bool imports_frame(const struct model *model, const struct model_frame *frame);

/* Is a Python import among the callers of this site? False for a site that is out of range. */
bool imports_made(const struct model *model, uint32_t site);

#endif /* TARE_DOCTOR_IMPORTS_H */
