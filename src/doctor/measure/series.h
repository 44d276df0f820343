/* series.h - the counters of a process along the chosen clock.
 *
 * Each tick has one point. If the ledger has merged old steps, a span of ticks has one point.
 * Counts of blocks and bytes are the minimum of the span, so they do not include memory that was
 * allocated and released inside it.
 */
#ifndef TARE_DOCTOR_SERIES_H
#define TARE_DOCTOR_SERIES_H

#include "doctor/measure/clock.h"
#include "doctor/facts/rules.h"

#define SERIES_MAPS    LEDGER_CLASSES /* column of bytes mapped by the program itself, in pages */
#define SERIES_TOTAL   (LEDGER_CLASSES + 1) /* column of all size classes together */
#define SERIES_OBJECTS (LEDGER_CLASSES + 2) /* column of an interpreter's small objects */
#define SERIES_TENSORS (LEDGER_CLASSES + 3) /* column of the tensors that a framework counts */
#define SERIES_DEVICE  (LEDGER_CLASSES + 4) /* column of the blocks of devices' memory */
#define SERIES_COLUMNS (LEDGER_CLASSES + 5)

/* The blocks of this column lie in the heap of the host. */
static inline bool series_is_heap(unsigned column)
{
    return column < LEDGER_CLASSES || column == SERIES_TOTAL;
}

/* In these columns blocks of one stack are one site, whatever their size. */
static inline bool series_joins(unsigned column)
{
    return column == SERIES_TOTAL || column == SERIES_TENSORS;
}

struct point {
    uint64_t tick, ordinal, time;   /* at the end of the span */
    uint64_t live_min;              /* the smallest number of live bytes in the span */
    uint64_t mapped;                /* bytes mapped by the program itself, at the end */
    uint64_t resident;              /* resident bytes of the process, at the end; 0: not known */
    uint64_t allocated_blocks;      /* blocks allocated since the start, at the end */
    uint64_t tensor_bytes;          /* the smallest number of tensor bytes, as the framework counts */
    uint64_t device_bytes;          /* the smallest number of bytes in use on all devices */
    uint64_t arenas;                /* bytes mapped by an interpreter for small objects, at the end */
    uint64_t full;                  /* full collections so far */
    bool watched;                   /* small objects were sampled in this span */
    uint32_t least[SERIES_COLUMNS]; /* the smallest value of each column in the span */
};

struct series {
    struct point *points; /* oldest first; owned by the arena */
    size_t count;         /* number of points */
    uint64_t ticks;    /* tick of the last point */
    uint64_t page;     /* bytes of one unit of SERIES_MAPS */
    uint64_t ordinals; /* ordinal of the last point */
    uint64_t from;     /* ordinal in which the judged phase began; everything before it is in tick 1 */
    uint64_t first_look; /* nothing is suspected before this tick */
    bool slices;         /* the ticks are slices of time, so none of them is a heavy step */
    bool tensor_bytes;   /* the framework's byte count covers only tensors that still exist */
};

/* Builds the series of a process. `points` is NULL if there was no memory. A ledger without a
 * tick gives an empty series. */
void series_build(struct series *out, const struct model *model, const struct clock_choice *clock,
                  struct arena *arena);

/* Do ticks rise from point to point, no ordinal falls, and is the last point the end? For checks of our own
 * side (base/invariant.h) and for tests. */
bool series_is_valid(const struct series *series);

/* Index of the first point that ends with this ordinal or later. If there is none: the count of
 * points. */
size_t series_point(const struct series *series, uint64_t ordinal);

/* The tick during which this ordinal ran; ticks + 1 for an ordinal after the last tick. */
uint64_t series_tick(const struct series *series, uint64_t ordinal);

/* Index of the first point that ends after `tick`. */
size_t series_after(const struct series *series, uint64_t tick);

/* Minima of RULE_SEGMENTS equal parts of the ticks (to - W, to], the remainder dropped from the old
 * end. False: a part has no point. */
struct segments {
    uint64_t from, width; /* ticks: part i is (from + i * width, from + (i + 1) * width] */
    uint32_t least[RULE_SEGMENTS][SERIES_COLUMNS]; /* minimum of each column */
    uint64_t live[RULE_SEGMENTS]; /* minimum of live bytes */
    uint64_t tensor_bytes[RULE_SEGMENTS]; /* minimum of tensor bytes */
    uint64_t device_bytes[RULE_SEGMENTS]; /* minimum of bytes on devices */
};
bool series_segments(const struct series *series, uint64_t from, uint64_t to, struct segments *out);

/* Fills `peaks` with the largest value of each column over the points that end in (from, to]. */
void series_peaks(const struct series *series, uint64_t from, uint64_t to,
                  uint32_t peaks[SERIES_COLUMNS]);

/* The exact counter of a column: the number of an interpreter's small objects, the bytes on devices, or
 * all live bytes. */
uint64_t series_value(const struct point *point, unsigned column);

/* The largest fall of that counter between two points, from point `begin` on. */
double series_fall(const struct series *series, unsigned column, size_t begin);

/* Growth of the exact count of live bytes, in bytes per tick. Garbage comes and goes, so this
 * compares the minimum of the second quarter with that of the last. If a fall was half as deep
 * as the growth, chance decides what the minimum is, and the result is 0. */
double series_growth(const struct series *series);

/* The upper bound of series_growth(): from the minimum of the second quarter to the maximum of the last
 * one. */
double series_growth_most(const struct series *series);

#endif /* TARE_DOCTOR_SERIES_H */
