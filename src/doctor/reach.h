/* reach.h - does anything still point to the blocks of a site?
 *
 * The answer is found by a search in a copy of the program, on request (probe/search.h). A ledger
 * without that record says nothing, and then nothing is claimed: the finding stays `retained` and
 * says that what holds the blocks was not looked for.
 */
#ifndef TARE_DOCTOR_REACH_H
#define TARE_DOCTOR_REACH_H

#include "ledger/model.h"

struct arena;  /* base/arena.h */
struct places; /* doctor/places.h */

enum reach { REACH_UNKNOWN, REACH_HELD, REACH_LOST };

/* `site`: index into model->sites. `holder` receives the path of what holds the blocks, in the
 * arena, or NULL; without `places` (NULL) it is not named. */
enum reach reach_of(const struct model *model, uint32_t site, struct places *places,
                    struct arena *arena, const char **holder);

/* The latest answer for this site that came to its end; NULL: there is none. */
const struct holder_record *reach_record(const struct model *model, uint32_t site);

#endif /* TARE_DOCTOR_REACH_H */
