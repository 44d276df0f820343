/* curve.c - see curve.h. */
#include "live/curve.h"

#include <string.h>

static uint64_t value_of(const struct digest_point *point, enum curve_what what)
{
    return what == CURVE_LIVE ? point->live : point->resident;
}

void curve_sample(struct curve *curve, const struct digest_point *points, size_t count,
                  enum curve_what what, unsigned columns, unsigned rows)
{
    size_t next = 0, dots;
    uint64_t last = 0;
    double from, span;

    *curve = (struct curve){.columns = columns < CURVE_COLUMNS_MAX ? columns : CURVE_COLUMNS_MAX,
                            .rows = rows < CURVE_ROWS_MAX ? rows : CURVE_ROWS_MAX};
    if (count == 0)
        return;
    dots = 2 * (size_t)curve->columns;
    from = (double)points[0].time;
    span = (double)points[count - 1].time - from;
    for (size_t i = 0; i < dots; i++) {
        const double end = from + span * (double)(i + 1) / (double)dots;
        uint64_t highest = 0;
        bool any = false;

        for (; next < count && ((double)points[next].time <= end || i + 1 == dots); next++) {
            last = value_of(&points[next], what);
            highest = last > highest ? last : highest;
            any = true;
        }
        curve->values[i] = any ? highest : last;
        curve->most = curve->values[i] > curve->most ? curve->values[i] : curve->most;
    }
}

/* How many parts of a column are filled, from below; at least one unless the value is 0. */
static unsigned height(const struct curve *curve, size_t dot, unsigned parts)
{
    const uint64_t value = curve->values[dot];
    const unsigned filled =
        curve->most ? (unsigned)((double)value / (double)curve->most * parts + 0.5) : 0;

    return value > 0 && filled == 0 ? 1 : filled;
}

/* The dots of a braille character, from the lowest up: left, then right. */
static unsigned column_dots(unsigned filled, bool right)
{
    static const unsigned char dots[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    unsigned bits = 0;

    for (unsigned i = 0; i < filled && i < 4; i++)
        bits |= dots[right][i];
    return bits;
}

static void put_braille(char **out, unsigned bits)
{
    *(*out)++ = (char)0xe2;
    *(*out)++ = (char)(0xa0 | bits >> 6);
    *(*out)++ = (char)(0x80 | (bits & 0x3f));
}

static unsigned above(unsigned filled, unsigned below)
{
    return filled > below ? filled - below : 0;
}

void curve_draw(struct curve *curve, bool ascii)
{
    static const char levels[] = " .:|#";

    for (unsigned row = 0; row < curve->rows; row++) {
        const unsigned below = 4 * (curve->rows - 1 - row);
        char *out = curve->lines[row];

        for (unsigned column = 0; column < curve->columns; column++) {
            const unsigned left = above(height(curve, 2 * column, 4 * curve->rows), below);
            const unsigned right = above(height(curve, 2 * column + 1, 4 * curve->rows), below);
            const unsigned most = left > right ? left : right;

            if (ascii)
                *out++ = levels[most < 4 ? most : 4];
            else
                put_braille(&out, column_dots(left, false) | column_dots(right, true));
        }
        *out = 0;
    }
}
