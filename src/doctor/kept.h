/* kept.h - growth that a framework's own store explains: compiled functions, registries.
 *
 * What grows, and how fast, is measured; here it gets its holder's name, where the adapters have
 * counted what the frameworks keep. A store that was seen to grow all through the run and up to its end,
 * as the memory does, is an unbounded cache.
 */
#ifndef TARE_DOCTOR_KEPT_H
#define TARE_DOCTOR_KEPT_H

#include "doctor/visit.h"

/* Is a function compiled again and again, to the end, on the way through these places? */
bool kept_compiles(const struct visit *visit, const struct place *places, size_t count);

/* Looks at all findings so far. */
void kept_explain(struct visit *visit);

#endif /* TARE_DOCTOR_KEPT_H */
