/* reconcile.h - compares the growth that findings explain with the growth of the process.
 *
 * Blocks of a rare size prove nothing alone, and neither do blocks that are made by the thousand
 * and hardly sampled. The exact counters show that their number grows, but not which line keeps
 * them.
 */
#ifndef TARE_DOCTOR_RECONCILE_H
#define TARE_DOCTOR_RECONCILE_H

#include "doctor/measure/visit.h"

struct place; /* doctor/source/places.h */

struct reconcile {
    double beside; /* bytes per tick that survive in addition to the convicted blocks */
    double growth; /* growth of the heap in bytes per tick, counted exactly; 0: not known */
    double maps;   /* bytes per tick of mappings in the findings; `growth` does not contain them */
    double unreported; /* growth of the heap in bytes per tick that nothing explains yet */
    bool compiles; /* one of the lines compiles functions again and again */
};

/* The share of this cohort's surviving bytes that waits for the collector, from 0 to 1. If no
 * site has enough blocks to be judged alone, all sites are judged together. The survivors then
 * include garbage that no collection has examined yet. If blocks of a site died in a collection,
 * its later blocks will die, too. */
double reconcile_waiting(struct visit *visit, const struct cohort *cohort);

/* Once a line is convicted, attributes all its surviving blocks to it, up to the unexplained
 * part of the process's growth. Adds no more than the convicted blocks have, unless functions
 * are compiled there. */
void reconcile_line(struct reconcile *whole, struct finding *out, struct visit *visit,
                    const struct place *places, size_t place_count);

/* If the findings explain most of the growth, they get the rest of it, too. If sampling makes
 * them larger than the growth, they are scaled down to it. */
void reconcile_all(struct reconcile *whole, struct visit *visit);

#endif /* TARE_DOCTOR_RECONCILE_H */
