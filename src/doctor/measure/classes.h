/* classes.h - which size classes grow: suspicion from exact counters alone.
 *
 * The number of live blocks of a class at the end of a step is almost free of noise in real loops,
 * so a window is cut in eight and the minima of the parts must rise. A suspicion is not a verdict:
 * caches fill up and collectors lag. doctor/measure/cohort.h convicts or clears.
 */
#ifndef TARE_DOCTOR_CLASSES_H
#define TARE_DOCTOR_CLASSES_H

#include "doctor/measure/series.h"

#define CLASSES_WINDOWS      4
#define CLASSES_SUSPECTS_MAX (SERIES_COLUMNS * CLASSES_WINDOWS)

struct suspect {
    unsigned column; /* size class, SERIES_MAPS or SERIES_TOTAL */
    uint64_t from;   /* the window is the ticks (from, last] */
    double growth;   /* blocks (pages for mappings) per tick */
    bool heavy;      /* there are few steps, and each leaves many blocks */
    bool slowed; /* in a longer window the growth of this column slows or has stopped */
};

/* Fills `out` with the suspects: of each column the windows in which it rises, longest first.
 * Returns their number. */
size_t classes_suspect(struct suspect out[CLASSES_SUSPECTS_MAX], const struct series *series);

/* True if the minima of the eight parts rise by at least RULE_RISE_MIN in total, in at least
 * `needed` steps, and in the last two
 * parts at RULE_PACE of the mean pace or more. */
bool classes_rising(const uint32_t least[RULE_SEGMENTS], unsigned needed);

/* The classes to watch from now on, one bit each. Suspects that are not watched yet are taken by
 * growth per allocation, largest first; as many as the budget allows, and at least one. */
uint64_t classes_focus(const struct model *model, const struct series *series,
                       const struct suspect *suspects, size_t count);

/* Allocations of a class per tick, averaged over the run. */
double classes_traffic(const struct model *model, const struct series *series,
                       unsigned class_index);

/* A class that rose and stopped. */
struct standstill {
    unsigned column;      /* size class, or one of SERIES_MAPS etc. */
    uint64_t first, last; /* ticks of the first and the last lasting rise */
    uint64_t blocks;      /* the height of the whole rise */
    unsigned rises;       /* the number of lasting rises */
};
bool classes_standstill(const struct series *series, unsigned column, struct standstill *out);

#endif /* TARE_DOCTOR_CLASSES_H */
