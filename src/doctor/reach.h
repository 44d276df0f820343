/* reach.h - does anything still point to the blocks of a site?
 *
 * The answer is found by a search in a copy of the program, on request (probe/search.h). A ledger
 * without that record says nothing, and then nothing is claimed: the finding stays `retained` and
 * says that what holds the blocks was not looked for.
 */
#ifndef TARE_DOCTOR_REACH_H
#define TARE_DOCTOR_REACH_H

#include "ledger/model.h"

struct arena;   /* base/arena.h */
struct finding; /* doctor/diagnosis.h */
struct places;  /* doctor/places.h */

enum reach { REACH_UNKNOWN, REACH_HELD, REACH_LOST };

/* `site`: index into model->sites. The finding receives who holds the blocks, in words and, where
 * it is known, as a path; without `places` (NULL) a variable of native code is not named. `events`:
 * how often something was stored there. */
enum reach reach_of(struct finding *out, const struct model *model, uint32_t site, uint64_t events,
                    struct places *places, struct arena *arena);

/* The latest answer for this site that came to its end, one with a path of owners before others;
 * NULL: there is none. */
const struct holder_record *reach_record(const struct model *model, uint32_t site);

/* Who holds this site's blocks has been found, and need not be asked again. Where objects hold, words of
 * memory alone are no answer. */
bool reach_known(const struct model *model, uint32_t site);

/* A search before this ordinal found most of its blocks held by a module, a function or a thread: they
 * were no garbage then. */
bool reach_held_before(const struct model *model, uint32_t site, uint64_t ordinal);

/* How objects hold each other that this site's blocks belong to: "a cycle: Node.children[…].parent", back to
 * where it began; the finding's path is that. NULL: none was seen. */
const char *reach_cycle(struct finding *out, const struct model *model, uint32_t site,
                        struct arena *arena);

#endif /* TARE_DOCTOR_REACH_H */
