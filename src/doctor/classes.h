/* classes.h - which size classes grow: suspicion from exact counters alone.
 *
 * The number of live blocks of a class at the end of a step is almost free of noise in real loops,
 * so a window is cut in eight and the minima of the parts must rise. A suspicion is no verdict:
 * caches fill, collectors lag. doctor/cohort.h convicts or clears.
 */
#ifndef TARE_DOCTOR_CLASSES_H
#define TARE_DOCTOR_CLASSES_H

#include "doctor/series.h"

#define CLASSES_WINDOWS      4
#define CLASSES_SUSPECTS_MAX (SERIES_COLUMNS * CLASSES_WINDOWS)

struct suspect {
    unsigned column; /* size class, SERIES_MAPS or SERIES_TOTAL */
    uint64_t from;   /* the window is the ticks (from, last] */
    double growth;   /* blocks (pages for mappings) per tick */
    bool heavy;      /* few steps, each of which leaves many blocks */
    bool slowed; /* a longer window of this column was found to be slowing, or to have stopped */
};

/* Suspects, each column's windows from the longest to the shortest. Returns their number. */
size_t classes_suspect(struct suspect out[CLASSES_SUSPECTS_MAX], const struct series *series);

/* True when the minima rise: by enough, nearly everywhere, and to the end. */
bool classes_rising(const uint32_t least[RULE_SEGMENTS], unsigned needed);

/* The classes to watch from now on, one bit each: those suspects that are not watched yet, the one
 * with the largest growth per allocation first, as many as the budget allows and at least one. */
uint64_t classes_focus(const struct model *model, const struct series *series,
                       const struct suspect *suspects, size_t count);

/* Allocations of a class per tick, on the average of the run. */
double classes_traffic(const struct model *model, const struct series *series,
                       unsigned class_index);

/* A class that rose and stopped. */
struct standstill {
    unsigned column;
    uint64_t first, last; /* ticks of the first and the last lasting rise */
    uint64_t blocks;      /* by which it rose */
    unsigned rises;
};
bool classes_standstill(const struct series *series, unsigned column, struct standstill *out);

#endif /* TARE_DOCTOR_CLASSES_H */
