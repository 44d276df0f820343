/* reach.h - does anything still point to the blocks of a site?
 *
 * The answer is found by a search in the program itself, on request. A ledger without that record
 * says nothing, and then nothing is claimed: the finding stays `retained` and says that what holds
 * the blocks was not looked for.
 */
#ifndef TARE_DOCTOR_REACH_H
#define TARE_DOCTOR_REACH_H

#include "ledger/model.h"

enum reach { REACH_UNKNOWN, REACH_HELD, REACH_LOST };

/* `holder` receives the path of what holds them, borrowed from the model, or NULL. */
enum reach reach_of(const struct model *model, uint32_t site, const char **holder);

#endif /* TARE_DOCTOR_REACH_H */
