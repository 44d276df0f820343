/* framework_stores.h - the stores that frameworks keep for themselves: registries, lists of functions,
 * caches.
 *
 * Adapters count their entries. A store that grew like the memory, all through the run and up to its
 * end, is an unbounded cache, and the explainers name it as the holder.
 */
#ifndef TARE_DOCTOR_FRAMEWORK_STORES_H
#define TARE_DOCTOR_FRAMEWORK_STORES_H

#include "doctor/measure/visit.h"

/* The store, if it grew up to the end of the run; NULL: it did not, or it was not counted. */
const struct model_registry *stores_growing(const struct visit *visit, enum known_text store);

/* The registry grew up to the end of the run. */
bool stores_grows(const struct series *series, const struct registry_record *registry);

/* No holder is known yet that says more than a store does. */
bool stores_may_explain(const struct finding *finding);

/* The holder's path begins at a variable of the program. A library's own variable, or a word of native
 * memory, says less. */
bool stores_program_holds(const struct finding *finding);

/* A library's own code makes the blocks of this site (index + 1), in Python or below it. */
bool stores_made_by_library(const struct model *model, uint32_t site);

/* Makes the finding an unbounded cache with this holder, although there was no search for it. */
void stores_blame(struct finding *finding, struct fact holder, enum keeper keeper);

/* The same for a registry: adds how much it gained, and the advice. */
void stores_blame_registry(struct finding *finding, const struct model_registry *registry,
                           enum remedy_name advice);

#endif /* TARE_DOCTOR_FRAMEWORK_STORES_H */
