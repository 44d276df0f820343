/* reach.h - does anything still point to the blocks of a site?
 *
 * On request, a search in a copy of the program finds the answer (probe/search/search.h). If the
 * ledger has no record of a search, the finding stays `retained` and says that there was no search
 * for the holder.
 */
#ifndef TARE_DOCTOR_REACH_H
#define TARE_DOCTOR_REACH_H

#include "doctor/measure/visit.h"

struct places; /* doctor/source/places.h */

/* Whether something points to the blocks. */
enum reach { REACH_UNKNOWN, REACH_HELD, REACH_LOST };

/* Decides it for a site (index into model->sites), and gives the finding the holder of the
 * blocks as text and, if it is known, as a path. If `places` is NULL, variables of native code
 * are not named. `events`: how often something was stored there. */
enum reach reach_of(struct finding *out, const struct model *model, uint32_t site, uint64_t events,
                    struct places *places, struct arena *arena);

/* The latest complete answer for this site; answers with a path of owners come first. NULL:
 * there is none. */
const struct holder_record *reach_record(const struct model *model, uint32_t site);

/* The holder of this site's blocks is known, so no further search is needed. If objects hold the
 * blocks, words of memory alone are not an answer. */
bool reach_known(const struct model *model, uint32_t site);

/* The reference cycle that this site's blocks belong to: "a reference cycle:
 * Node.children[…].parent". The finding's path becomes that cycle. NULL: a search found none. */
const char *reach_cycle(struct finding *out, const struct model *model, uint32_t site,
                        struct arena *arena);

/* doctor/source/places.h */

/* The site whose search result is used for this one. Several call paths may lead to one line, above
 * all in the first steps, and the search may have examined blocks of another path than the
 * convicted ones. Blocks of the same size from the same line have the same holder. Returns `site`
 * itself (an index) if its holder is known, or if no other site has an answer. `line`: the line that
 * allocates the blocks; NULL: not known. */
uint32_t reach_searched_site(const struct visit *visit, uint32_t site, const struct place *line);

/* True if the blocks of this site are allocated at this line. `line` must have a file. */
bool reach_is_at(const struct visit *visit, uint32_t site, const struct place *line);

#endif /* TARE_DOCTOR_REACH_H */
