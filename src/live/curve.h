/* curve.h - a curve as characters, filled from zero up: in braille, with two by four dots in each
 * character, or in ASCII. */
#ifndef TARE_LIVE_CURVE_H
#define TARE_LIVE_CURVE_H

#include "live/digest.h"

#define CURVE_COLUMNS_MAX 128
#define CURVE_ROWS_MAX    8
#define CURVE_BYTES       (3 * CURVE_COLUMNS_MAX + 1)

struct curve {
    unsigned columns, rows;                  /* in characters */
    uint64_t values[2 * CURVE_COLUMNS_MAX];  /* two for each column */
    uint64_t most;                           /* the highest of the values */
    char lines[CURVE_ROWS_MAX][CURVE_BYTES]; /* the drawing, the top row first */
};

enum curve_what { CURVE_RESIDENT, CURVE_LIVE };

/* Divides the time into two pieces per column. The value of a piece is that of its highest point, or, without
 * a point, that of the piece before. */
void curve_sample(struct curve *curve, const struct digest_point *points, size_t count,
                  enum curve_what what, unsigned columns, unsigned rows);
void curve_draw(struct curve *curve, bool ascii);

#endif /* TARE_LIVE_CURVE_H */
