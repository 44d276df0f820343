/* early.h - chooses the sites to search holders for before anything is certain.
 *
 * A variable of a function often holds a leak. When that function has returned and the program
 * ends, nothing holds the blocks any more, and the last round comes too late to find the holder. A
 * search costs the same for one site as for many. So while something grows, one search covers all
 * sites whose blocks stay.
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
