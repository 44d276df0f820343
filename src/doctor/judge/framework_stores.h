/* framework_stores.h - the stores inside a framework: registries, lists of functions, caches.
 *
 * Adapters count their entries. A store that grew with the memory, up to the end of the run, is an
 * unbounded cache, and the explainers name it as the holder.
 */
#ifndef TARE_DOCTOR_FRAMEWORK_STORES_H
#define TARE_DOCTOR_FRAMEWORK_STORES_H

#include "doctor/measure/visit.h"

/* Returns the store if it grew up to the end of the run; NULL if it did not, or was not counted. */
const struct model_registry *stores_growing(const struct visit *visit, enum known_text store);

/* The registry grew up to the end of the run. */
bool stores_grows(const struct series *series, const struct registry_record *registry);

/* The finding may be explained by a store: no better holder is known. */
bool stores_may_explain(const struct finding *finding);

/* The holder's path begins at a variable of the program, not at a library's variable or in native memory. */
bool stores_program_holds(const struct finding *finding);

/* The innermost Python frame of this site (index + 1) is code of a library. */
bool stores_made_by_library(const struct model *model, uint32_t site);

/* Makes the finding an unbounded cache with this holder. No search has to confirm it. */
void stores_blame(struct finding *finding, struct fact holder, enum keeper keeper);

/* Makes the finding an unbounded cache held by this registry. Adds how many entries it gained, and the
 * advice. */
void stores_blame_registry(struct finding *finding, const struct model_registry *registry,
                           enum remedy_name advice);

#endif /* TARE_DOCTOR_FRAMEWORK_STORES_H */
