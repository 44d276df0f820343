/* reconcile.h - compares the growth that findings explain with the growth of the process.
 *
 * Blocks of a rare size prove nothing alone. Blocks that are allocated by the thousand are hardly
 * sampled. The exact counters show that their number grows, but not which line keeps them.
 */
#ifndef TARE_DOCTOR_RECONCILE_H
#define TARE_DOCTOR_RECONCILE_H

#include "doctor/measure/visit.h"

struct place; /* doctor/source/places.h */

struct reconcile {
    double beside; /* bytes per tick attributed to lines in addition to their convicted blocks */
    double growth; /* growth of the heap in bytes per tick, counted exactly; 0: not known */
    double maps;   /* growth of mappings in the findings in bytes per tick; not part of `growth` */
    double unreported; /* growth of the heap in bytes per tick that nothing explains yet */
    bool compiles; /* one of the lines compiles functions again and again */
};

/* The share of this cohort's surviving bytes that waits for the collector, from 0 to 1. It is
 * not 0 only for a cohort of all sites together, which is judged if no site has enough blocks
 * alone. Its survivors include garbage that no collection has examined yet. If a collection
 * freed most blocks of a site, it will free the later ones too. */
double reconcile_waiting(struct visit *visit, const struct cohort *cohort);

/* Attributes all surviving blocks of a convicted line to it, up to the unexplained part of the
 * process's growth. Adds at most as much as the convicted blocks have, unless the line compiles
 * functions. */
void reconcile_line(struct reconcile *whole, struct finding *out, struct visit *visit,
                    const struct place *places, size_t place_count);

/* If the findings explain most of the growth, they are scaled up to all of it. If sampling makes
 * them larger than the growth, they are scaled down to it. */
void reconcile_all(struct reconcile *whole, struct visit *visit);

#endif /* TARE_DOCTOR_RECONCILE_H */
