/* searched.h - the site whose holders answer for another.
 *
 * One line may be reached by several ways, in the first steps more often than later, and the search for
 * holders may have met blocks of another way than those that were convicted. Blocks of the same size made
 * at the same line are held alike.
 */
#ifndef TARE_DOCTOR_SEARCHED_H
#define TARE_DOCTOR_SEARCHED_H

#include "doctor/visit.h"

struct place; /* doctor/places.h */

/* `site`: index; itself if who holds its blocks is known, or if nobody can answer for it. `line`: where
 * its blocks are made; NULL: not known. */
uint32_t searched_site(const struct visit *visit, uint32_t site, const struct place *line);

/* Are the blocks of this site made at this line? It has a file. */
bool searched_is_at(const struct visit *visit, uint32_t site, const struct place *line);

#endif /* TARE_DOCTOR_SEARCHED_H */
