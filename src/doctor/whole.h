/* whole.h - what the lines that were found explain of the whole growth, and what becomes of the rest.
 *
 * Blocks of a rare size, or of sizes that are made by the thousand and hardly sampled, prove nothing alone:
 * that their number grows is counted exactly, which line keeps some of them is not seen.
 */
#ifndef TARE_DOCTOR_WHOLE_H
#define TARE_DOCTOR_WHOLE_H

#include "doctor/visit.h"

struct place; /* doctor/places.h */

struct whole {
    double beside; /* bytes per tick that stay beside the blocks that were convicted */
    double growth; /* of the heap in bytes per tick, counted exactly; 0: not known */
    double troughs; /* where that is not known, from trough to trough (troughs.h); 0: nor is this */
    double maps;   /* of what the findings rest on, bytes per tick of mappings: they are beside it */
    double untold; /* bytes per tick by which the heap grew, less what is explained */
    bool compiles; /* at one of the lines, again and again */
};

/* At a line that leaks, all its blocks count that stay, as far as the process has grown by more than is
 * told of yet; and no more than what the finding rests on, unless functions are compiled there. */
void whole_complete(struct whole *whole, struct finding *out, struct visit *visit,
                    const struct place *places, size_t place_count);

/* Where the lines that were found explain most of the growth, the rest goes with them; where samples make
 * them more than it is, they are cut down to it. */
void whole_share_out(struct whole *whole, struct visit *visit);

#endif /* TARE_DOCTOR_WHOLE_H */
