/* series.h - the counters of a process along the chosen clock.
 *
 * One point for each tick, or for a span of ticks where the ledger has merged old steps; counts of
 * blocks and bytes are the least of the span, so that what came and went inside it is not seen.
 */
#ifndef TARE_DOCTOR_SERIES_H
#define TARE_DOCTOR_SERIES_H

#include "doctor/clock.h"
#include "doctor/rules.h"

#define SERIES_MAPS    LEDGER_CLASSES /* column of bytes mapped by the program itself, in pages */
#define SERIES_TOTAL   (LEDGER_CLASSES + 1) /* column of all size classes together */
#define SERIES_OBJECTS (LEDGER_CLASSES + 2) /* column of an interpreter's small objects */
#define SERIES_TENSORS (LEDGER_CLASSES + 3) /* column of the tensors that a framework counts */
#define SERIES_COLUMNS (LEDGER_CLASSES + 4)

/* In these columns blocks of one stack are one site, whatever their size. */
static inline bool series_joins(unsigned column)
{
    return column == SERIES_TOTAL || column == SERIES_TENSORS;
}

struct point {
    uint64_t tick, ordinal, time; /* of its end */
    uint64_t live_min, mapped, resident, allocated_blocks;
    uint64_t tensor_bytes; /* the least, as the framework counts them */
    uint64_t arenas;  /* bytes mapped by an interpreter for small objects */
    uint64_t full;    /* full collections so far */
    bool watched;     /* its small objects were sampled */
    uint32_t least[SERIES_COLUMNS];
};

struct series {
    struct point *points; /* oldest first; owned by the arena */
    size_t count;
    uint64_t ticks;    /* at the last point */
    uint64_t page;     /* bytes of one unit of SERIES_MAPS */
    uint64_t ordinals; /* at the last point */
    uint64_t from;     /* ordinal in which the phase began that is judged: what was before is in tick 1 */
    uint64_t first_look; /* ticks before which nothing is suspected */
    bool slices;         /* the ticks are slices of time: none of them is a heavy step */
    bool tensor_bytes;   /* the framework's count of bytes is of tensors that are there */
};

/* NULL points: no memory. A ledger without a tick gives an empty series. */
void series_build(struct series *out, const struct model *model, const struct clock_choice *clock,
                  struct arena *arena);

/* Index of the first point that ends with this ordinal or later; the count of points: none does. */
size_t series_point(const struct series *series, uint64_t ordinal);

/* The tick during which this ordinal ran; ticks + 1 for what came after the last. */
uint64_t series_tick(const struct series *series, uint64_t ordinal);

/* Index of the first point that ends after `tick`. */
size_t series_after(const struct series *series, uint64_t tick);

/* Minima of RULE_SEGMENTS equal parts of the ticks (to - W, to], the remainder dropped from the old
 * end. False: a part has no point. */
struct segments {
    uint64_t from, width; /* ticks: the parts are (from, from + width], … */
    uint32_t least[RULE_SEGMENTS][SERIES_COLUMNS];
    uint64_t live[RULE_SEGMENTS]; /* bytes … */
    uint64_t tensor_bytes[RULE_SEGMENTS]; /* … and of tensors */
};
bool series_segments(const struct series *series, uint64_t from, uint64_t to, struct segments *out);

/* The most of each column over the points that end in (from, to]. */
void series_peaks(const struct series *series, uint64_t from, uint64_t to,
                  uint32_t peaks[SERIES_COLUMNS]);

/* What is counted exactly of a column: the number of an interpreter's small objects, or all live bytes. */
uint64_t series_value(const struct point *point, unsigned column);

/* The most by which that fell from one point to a later one, from this point on. */
double series_fall(const struct series *series, unsigned column, size_t begin);

/* Bytes per tick by which the exact count of live bytes grew. What waits for the collector comes and goes:
 * the least of the second and of the last quarter count; 0 where a fall was half as deep, for then chance
 * decides what the least is. */
double series_growth(const struct series *series);

/* The same, at most: from the least of the second quarter to the most of the last one. */
double series_growth_most(const struct series *series);

#endif /* TARE_DOCTOR_SERIES_H */
