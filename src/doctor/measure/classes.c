/* classes.c - see classes.h. */
#include "doctor/measure/classes.h"

/* Windows as shares of the run; the short ones find late leaks. */
static const double windows[CLASSES_WINDOWS] = {0.8, 0.4, 0.2, 0.1};

bool classes_rising(const uint32_t least[RULE_SEGMENTS], unsigned needed)
{
    const int last = RULE_SEGMENTS - 1;
    const double rise = (double)least[last] - (double)least[0];
    const double recent = (double)least[last] - (double)least[last - 2];
    unsigned rises = 0;

    for (int i = 0; i < last; i++)
        rises += least[i + 1] > least[i];
    return rise >= RULE_RISE_MIN && rises >= needed && recent / 2 >= RULE_PACE * rise / last;
}

static void column_of(const struct segments *segments, unsigned column, uint32_t out[RULE_SEGMENTS])
{
    for (unsigned i = 0; i < RULE_SEGMENTS; i++)
        out[i] = segments->least[i][column];
}

static double growth(const uint32_t least[RULE_SEGMENTS], uint64_t width)
{
    return ((double)least[RULE_SEGMENTS - 1] - (double)least[0]) /
           ((RULE_SEGMENTS - 1) * (double)width);
}

/* Nearly every part gains at least RULE_HEAVY_BLOCKS per tick, and so do all parts together. One
 * part may gain less, because a collection came in it. */
static bool is_heavy(const struct segments *segments, unsigned column)
{
    const uint64_t least = RULE_HEAVY_BLOCKS * segments->width;
    unsigned heavy = 0;

    for (unsigned i = 0; i + 1 < RULE_SEGMENTS; i++)
        heavy += segments->least[i + 1][column] >=
                 segments->least[i][column] + least;
    return heavy >= RULE_RISES_NEEDED &&
           segments->least[RULE_SEGMENTS - 1][column] >=
               segments->least[0][column] + (RULE_SEGMENTS - 1) * least;
}

/* The growth of small objects is large enough to suspect. A clean loop gains a few per step until the
 * collector runs, and more while the interpreter's own stores fill. */
static bool objects_matter(double speed, uint64_t ticks, uint64_t width)
{
    if (speed >= RULE_OBJECTS_ONE && speed * (double)width >= RULE_OBJECTS_ALL)
        return true;
    return speed >= (ticks < RULE_OBJECTS_TICKS ? RULE_OBJECTS_MANY : RULE_OBJECTS_FEW);
}

/* Suspects of a run with too few ticks for the usual rule: columns that gain many blocks in
 * nearly every step. */
static size_t heavy_suspects(struct suspect *out, const struct series *series)
{
    const uint64_t n = series->ticks;
    uint32_t least[RULE_SEGMENTS];
    struct segments segments;
    size_t count = 0;

    if (series->slices || n < RULE_HEAVY_TICKS || !series_segments(series, 2, n, &segments))
        return 0;
    for (unsigned c = 0; c < SERIES_COLUMNS; c++) {
        column_of(&segments, c, least);
        if (is_heavy(&segments, c == SERIES_OBJECTS ? c : SERIES_TOTAL) &&
            classes_rising(least, RULE_RISES_NEEDED))
            out[count++] = (struct suspect){c, 2, growth(least, segments.width), true, false};
    }
    return count;
}

/* Lists the suspects by column, and in each column the longest window first. */
static size_t collect(struct suspect *out, const bool rises[][SERIES_COLUMNS],
                      const double speed[][SERIES_COLUMNS], const uint64_t from[])
{
    size_t count = 0;

    for (unsigned c = 0; c < SERIES_COLUMNS; c++)
        for (unsigned w = 0; w < CLASSES_WINDOWS; w++)
            if (rises[w][c])
                out[count++] = (struct suspect){c, from[w], speed[w][c], false, false};
    return count;
}

size_t classes_suspect(struct suspect out[CLASSES_SUSPECTS_MAX], const struct series *series)
{
    const uint64_t n = series->ticks;
    bool rises[CLASSES_WINDOWS][SERIES_COLUMNS] = {{false}};
    double speed[CLASSES_WINDOWS][SERIES_COLUMNS];
    uint64_t from[CLASSES_WINDOWS] = {0};

    if (n < 2 * series->first_look) {
        const size_t heavy = heavy_suspects(out, series);

        if (heavy > 0 || n < series->first_look)
            return heavy;
    }
    for (unsigned w = 0; w < CLASSES_WINDOWS; w++) {
        const uint64_t width = (uint64_t)(windows[w] * (double)n);
        uint32_t least[RULE_SEGMENTS], peaks[SERIES_COLUMNS] = {0};
        struct segments segments;

        from[w] = n - width;
        if (width < RULE_WINDOW_MIN || !series_segments(series, from[w], n, &segments))
            break;
        if (w > 0) /* a shorter window must exceed all values before it */
            series_peaks(series, n / 10, from[w], peaks);
        for (unsigned c = 0; c < SERIES_COLUMNS; c++) {
            column_of(&segments, c, least);
            rises[w][c] = classes_rising(least, RULE_RISES_NEEDED) &&
                          (w == 0 || least[RULE_SEGMENTS - 1] > peaks[c]);
            speed[w][c] = growth(least, segments.width);
            if (c == SERIES_OBJECTS && !objects_matter(speed[w][c], n, width))
                rises[w][c] = false;
        }
    }
    return collect(out, rises, speed, from);
}

double classes_traffic(const struct model *model, const struct series *series, unsigned class_index)
{
    const double ticks = series->ticks ? (double)series->ticks : 1;

    return (double)model->totals.classes[class_index].born_blocks / ticks;
}

uint64_t classes_focus(const struct model *model, const struct series *series,
                       const struct suspect *suspects, size_t count)
{
    uint64_t chosen = 0;
    double spent = 0;

    for (;;) {
        double best = 0, cost = 0;
        unsigned found = SERIES_MAPS;

        for (size_t i = 0; i < count; i++) {
            const unsigned c = suspects[i].column;
            const double traffic = c < SERIES_MAPS ? classes_traffic(model, series, c) : 0;

            if (c >= SERIES_MAPS || ((model->head.watched | chosen) >> c & 1) || traffic <= 0 ||
                traffic > RULE_WATCH_MOST || suspects[i].growth / traffic <= best)
                continue;
            best = suspects[i].growth / traffic;
            cost = traffic;
            found = c;
        }
        if (found == SERIES_MAPS || (chosen && spent + cost > RULE_WATCH_BUDGET))
            return chosen;
        chosen |= 1ull << found;
        spent += cost;
    }
}

/* Counts the rises that lasted to the end. It goes backwards with the minimum of all later
 * points. Rises in the newest eighth do not count, because they may not last. */
static void count_rises(const struct series *series, unsigned column, struct standstill *out)
{
    const uint64_t begin = series->ticks / 50 + 2; /* set-up is not filling */
    const uint64_t end = series->ticks - series->ticks / RULE_SEGMENTS;
    uint32_t after = UINT32_MAX;

    for (size_t i = series->count; i-- > 0 && series->points[i].tick >= begin;) {
        const struct point *point = &series->points[i];
        const uint32_t here = point->least[column];

        if (here >= after)
            continue;
        if (point->tick < end && after != UINT32_MAX) {
            out->blocks += after - here;
            out->rises++;
            out->first = series->points[i + 1].tick;
            out->last = out->last ? out->last : series->points[i + 1].tick;
        }
        after = here;
    }
}

/* The smallest number of blocks at the end of a tick in (from, to]. */
static uint32_t least_in(const struct series *series, unsigned column, uint64_t from, uint64_t to)
{
    uint32_t least = UINT32_MAX;

    for (size_t i = series_after(series, from); i < series->count; i++) {
        const struct point *point = &series->points[i];

        if (point->tick > to)
            break;
        least = point->least[column] < least ? point->least[column] : least;
    }
    return least;
}

/* The column still rises in the newest eighth, at the pace at which it rose before. */
static bool still_rising(const struct series *series, const struct standstill *seen)
{
    const uint64_t n = series->ticks, part = n / RULE_SEGMENTS / 2;
    const uint32_t before = least_in(series, seen->column, n - 2 * part, n - part);
    const uint32_t now = least_in(series, seen->column, n - part, n);
    const double pace = (double)seen->blocks / (double)(seen->last - seen->first + 1);

    return now > before && now - before >= RULE_PACE * pace * (double)part;
}

bool classes_standstill(const struct series *series, unsigned column, struct standstill *out)
{
    uint64_t gap;

    *out = (struct standstill){.column = column};
    count_rises(series, column, out);
    if (out->rises < RULE_PLATEAU_RISES)
        return false;
    gap = RULE_STILL_GAPS * (out->last - out->first) / (out->rises - 1);
    return series->ticks - out->last > (gap > RULE_STILL_TICKS ? gap : RULE_STILL_TICKS) &&
           !still_rising(series, out);
}
