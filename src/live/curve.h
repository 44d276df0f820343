/* curve.h - a curve as characters: filled, from zero up, in braille (two by four dots each) or
 * ASCII. */
#ifndef TARE_LIVE_CURVE_H
#define TARE_LIVE_CURVE_H

#include "live/digest.h"

#define CURVE_COLUMNS_MAX 128
#define CURVE_ROWS_MAX    8
#define CURVE_BYTES       (3 * CURVE_COLUMNS_MAX + 1)

struct curve {
    unsigned columns, rows;
    uint64_t values[2 * CURVE_COLUMNS_MAX]; /* two to a column */
    uint64_t most;
    char lines[CURVE_ROWS_MAX][CURVE_BYTES]; /* topmost first */
};

enum curve_what { CURVE_RESIDENT, CURVE_LIVE };

/* Of each piece of the time, the highest point; where there is none, the one before it. */
void curve_sample(struct curve *curve, const struct digest_point *points, size_t count,
                  enum curve_what what, unsigned columns, unsigned rows);
void curve_draw(struct curve *curve, bool ascii);

#endif /* TARE_LIVE_CURVE_H */
