/* cohort_window.c - see cohort_window.h. */
#include "doctor/measure/cohort_window.h"

#include <math.h>

double trial_window(const struct trial *trial)
{
    return (double)(trial->to - trial->from);
}

bool trial_counts(const struct trial *trial, const struct life *life)
{
    return !life->death && life->birth > trial->from && life->birth + trial->age <= trial->to;
}

static uint64_t sites_tested(const struct trial *trial)
{
    const struct lives *lives = trial->lives;
    uint64_t count = 0;
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < lives->count; i++)
        if (lives->items[i].birth > trial->from && lives->items[i].site != last) {
            last = lives->items[i].site;
            count++;
        }
    return count ? count : 1;
}

/* Columns that are not of the heap stand alone: heap blocks cannot leave in exchange. */
static bool stands_alone(unsigned column)
{
    return !series_is_heap(column);
}

static void measure_net(struct trial *trial)
{
    const double scale = RULE_SEGMENTS / (RULE_SEGMENTS - 1.0);
    const unsigned column = trial->suspect->column, last = RULE_SEGMENTS - 1;
    struct segments segments;
    const uint64_t *bytes;

    trial->blind = !series_segments(trial->series, trial->from, trial->to, &segments);
    if (trial->blind)
        return;
    trial->net = scale * ((double)segments.least[last][column] - (double)segments.least[0][column]);
    trial->net_total = scale * ((double)segments.least[last][SERIES_TOTAL] -
                                (double)segments.least[0][SERIES_TOTAL]);
    bytes = column == SERIES_TENSORS  ? segments.tensor_bytes
            : column == SERIES_DEVICE ? segments.device_bytes
                                      : segments.live;
    trial->net_bytes = scale * ((double)bytes[last] - (double)bytes[0]);
    if (stands_alone(column))
        trial->net_total = trial->net;
}

static void measure_survivors(struct trial *trial)
{
    for (size_t i = 0; i < trial->lives->count; i++)
        if (trial_counts(trial, &trial->lives->items[i])) {
            const struct life *life = &trial->lives->items[i];

            trial->survivors += life->units;
            trial->survivor_bytes += life->units * (double)life->size;
        }
}

/* The class is watched only since shortly before the end, and that time is too short to judge.
 * Then the time before it is judged, in which the class was sampled, as if the run had ended
 * there. */
static bool was_watched_late(const struct trial *trial, uint64_t from)
{
    const struct lives *lives = trial->lives;

    return trial->suspect->column < SERIES_MAPS && lives->uniform > from &&
           lives->until - lives->uniform < 2 * RULE_WINDOW_MIN &&
           lives->until - lives->uniform < lives->uniform - from;
}

/* Sets the window: the time in which the blocks of the class are known best (see struct lives). */
static void place_window(struct trial *trial)
{
    const struct lives *lives = trial->lives;
    const uint64_t least = trial->suspect->heavy ? RULE_HEAVY_AGE : RULE_AGE_MIN;

    trial->to = lives->until;
    trial->from = trial->suspect->column == SERIES_OBJECTS ? 0 : trial->suspect->from;
    if (lives->complete > trial->from)
        trial->from = lives->complete;
    if (was_watched_late(trial, trial->from))
        trial->to = lives->uniform;
    else if (lives->uniform > trial->from)
        trial->from = lives->uniform;
    if (trial->from > trial->to)
        trial->from = trial->to;
    /* Small objects are followed only for a time, but their counter continues. */
    trial->counter_to = trial->to == lives->uniform ? trial->to : trial->series->ticks;
    trial->counter_from =
        trial->suspect->column == SERIES_OBJECTS ? trial->suspect->from : trial->from;
    trial->age = (trial->to - trial->from) / RULE_AGE_SHARE;
    if (trial->age < least)
        trial->age = least;
}

void trial_prepare(struct trial *out, const struct model *model, const struct series *series,
                   const struct suspect *suspect, const struct lives *lives)
{
    const unsigned column = suspect->column;

    *out = (struct trial){.model = model, .series = series, .suspect = suspect, .lives = lives};
    place_window(out);
    out->sites = sites_tested(out);
    measure_net(out);
    measure_survivors(out);
    envelope_init(&out->own, series, column);
    envelope_init(&out->total, series, stands_alone(column) ? column : SERIES_TOTAL);
}

void trial_finish(struct trial *trial)
{
    envelope_fini(&trial->own);
    envelope_fini(&trial->total);
}

/* The end of the window without its newest eighth: what rose there may not last. */
static uint64_t settled(const struct trial *trial)
{
    return trial->counter_to - (trial->counter_to - trial->counter_from) / RULE_SEGMENTS;
}

/* Mean size of a surviving block in bytes. */
static double mean_size(const struct trial *trial)
{
    return trial->survivors > 0 ? trial->survivor_bytes / trial->survivors : 0;
}

bool trial_others_leave(const struct trial *trial)
{
    return trial->net_total < RULE_OTHERS * trial->net &&
           (stands_alone(trial->suspect->column) ||
            trial->net_bytes < RULE_OTHERS * trial->net * mean_size(trial));
}

static bool others_left(const struct trial *trial, uint64_t from, uint64_t to, double own)
{
    const double blocks = envelope_rate(&trial->total, from, to);
    const size_t first = series_after(trial->series, from), end = series_after(trial->series, to);
    double bytes = 0;

    if (blocks >= RULE_OTHERS * own)
        return false;
    if (stands_alone(trial->suspect->column) || end <= first + 1)
        return true;
    bytes = (double)trial->series->points[end - 1].live_min -
            (double)trial->series->points[first].live_min;
    return bytes < RULE_OTHERS * own * mean_size(trial) * (double)(to - from);
}

bool trial_has_stopped(const struct trial *trial)
{
    const uint64_t end = settled(trial), third = (end - trial->counter_from) / 3;
    const double all = envelope_rate(&trial->own, trial->counter_from, end);
    const double last = envelope_rate(&trial->own, end - third, end);
    uint64_t still;
    double gap;

    if (!envelope_last_rise(&trial->own, trial->counter_from, end, &still, &gap))
        return true;
    return (double)still > fmax(RULE_STILL_TICKS, RULE_STILL_GAPS * gap) ||
           last < RULE_LAST_THIRD * all || others_left(trial, end - third, end, last);
}

/* The counter rose at once and then steadily: a warm-up, then growth. A store that fills up
 * slows down to its end. */
static bool is_steady_since(const struct trial *trial, uint64_t from, uint64_t end, double units_of_one)
{
    double units;
    const double shift = envelope_trend(&trial->own, from + (end - from) / 4, end, &units);

    return fabs(shift) < RULE_TREND_STEADY && units / units_of_one >= RULE_TREND_UNITS;
}

/* Laplace's trend test over twice the window of the suspicion: A arrivals at a constant rate
 * have their mean tick within 1 / sqrt(12 A) of the middle. The shift must also be large,
 * otherwise a tiny shift would count in a long run. */
bool trial_is_slowing(const struct trial *trial, double units_of_one)
{
    const uint64_t from = trial->suspect->from, width = trial->counter_to - from;
    const uint64_t end = trial->counter_to - width / RULE_SEGMENTS;
    double units;
    const double shift = envelope_trend(&trial->own, from > width ? from - width : 0, end, &units);

    if (trial->suspect->slowed) /* a longer window slows, so this one must be quite steady */
        return shift < -RULE_TREND_STEADY;
    return shift < -RULE_TREND_SHIFT &&
           shift * sqrt(12 * units / units_of_one) < -RULE_TREND_ERRORS &&
           !is_steady_since(trial, from, end, units_of_one);
}

#define SLOPE_PARTS 16

/* Blocks of the suspect's class; with `bytes` all live bytes, the bytes of tensors as their framework counts
 * them, or the bytes on devices. */
static uint64_t value_at(const struct trial *trial, const struct point *point, bool bytes)
{
    const unsigned column = trial->suspect->column;

    if (!bytes)
        return point->least[column];
    return column == SERIES_TENSORS ? point->tensor_bytes : series_value(point, column);
}

static uint64_t least_in(const struct trial *trial, uint64_t from, uint64_t to, bool bytes)
{
    const struct series *series = trial->series;
    uint64_t least = UINT64_MAX;

    for (size_t i = series_after(series, from); i < series->count; i++) {
        const uint64_t here = value_at(trial, &series->points[i], bytes);

        if (series->points[i].tick > to)
            break;
        least = here < least ? here : least;
    }
    return least;
}

/* The slope of a line through the minima of sixteen parts of the window. */
static struct slope slope_of(const struct trial *trial, bool bytes)
{
    const uint64_t ticks = trial->counter_to - trial->counter_from;
    const uint64_t width = ticks > SLOPE_PARTS ? ticks / SLOPE_PARTS : 1;
    double x[SLOPE_PARTS], y[SLOPE_PARTS];
    size_t parts = 0;

    for (uint64_t end = trial->counter_from + width; end <= trial->counter_to && parts < SLOPE_PARTS;
         end += width) {
        const uint64_t least = least_in(trial, end - width, end, bytes);

        if (least == UINT64_MAX)
            continue;
        x[parts] = (double)end;
        y[parts++] = (double)least;
    }
    return stats_theil_sen(x, y, parts);
}

bool trial_knows_bytes(const struct trial *trial)
{
    const unsigned column = trial->suspect->column;

    return column == SERIES_TOTAL || column == SERIES_DEVICE ||
           (column == SERIES_TENSORS && trial->series->tensor_bytes);
}

/* One small tensor that chance has chosen stands for a thousand: then the sum of bytes is what
 * is known. */
bool trial_agrees(const struct trial *trial, double scale)
{
    const bool by_bytes = trial->suspect->column == SERIES_TENSORS && trial_knows_bytes(trial);

    return trial->net >= RULE_NET * trial->survivors * scale ||
           (by_bytes && trial->net_bytes >= RULE_NET * trial->survivor_bytes * scale);
}

struct slope trial_slope(const struct trial *trial)
{
    return slope_of(trial, false);
}

struct slope trial_slope_bytes(const struct trial *trial)
{
    return slope_of(trial, true);
}

/* Back from the window, eighth by eighth, for as long as the class grew at half the pace. */
uint64_t trial_begin(const struct trial *trial)
{
    const uint64_t step = (trial->counter_to - trial->suspect->from) / RULE_SEGMENTS + 1;
    const double pace = envelope_rate(&trial->own, trial->suspect->from, trial->counter_to) / 2;
    uint64_t begin = trial->suspect->from;

    while (begin > 0) {
        const uint64_t before = begin > step ? begin - step : 0;

        if (envelope_rate(&trial->own, before, begin) < pace)
            break;
        begin = before;
    }
    return begin + 1;
}
