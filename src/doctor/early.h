/* early.h - whose holders to ask for before anything is certain.
 *
 * Much of what leaks hangs on a variable of a function. When that function has returned, and the
 * program ends, nobody holds it any more, and the last round comes too late to see who did. A search
 * costs the same for one site as for many; so while something grows, the sites whose blocks stay are
 * all asked about.
 */
#ifndef TARE_DOCTOR_EARLY_H
#define TARE_DOCTOR_EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model; /* ledger/model.h */

/* Sites (index + 1) with blocks of several steps that are still there and whose holder is not known,
 * those with most bytes first; at most `max`. `objects`: small objects, too, which are followed now. */
size_t early_sites(const struct model *model, bool objects, uint32_t *sites, size_t max);

#endif /* TARE_DOCTOR_EARLY_H */
