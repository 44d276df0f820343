/* trial.c - see trial.h. */
#include "doctor/trial.h"

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

static void measure_net(struct trial *trial)
{
    const double scale = RULE_SEGMENTS / (RULE_SEGMENTS - 1.0);
    const unsigned column = trial->suspect->column, last = RULE_SEGMENTS - 1;
    struct segments segments;

    if (!series_segments(trial->series, trial->from, trial->to, &segments))
        return;
    trial->net = scale * ((double)segments.least[last][column] - (double)segments.least[0][column]);
    trial->net_total = scale * ((double)segments.least[last][SERIES_TOTAL] -
                                (double)segments.least[0][SERIES_TOTAL]);
    if (column == SERIES_MAPS)
        trial->net_total = trial->net; /* mappings are not blocks: nothing can leave instead */
}

static void measure_survivors(struct trial *trial)
{
    for (size_t i = 0; i < trial->lives->count; i++)
        if (trial_counts(trial, &trial->lives->items[i]))
            trial->survivors += trial->lives->items[i].units;
}

/* The window begins where the class is known best: see struct lives. */
static void place_window(struct trial *trial)
{
    const struct lives *lives = trial->lives;
    const uint64_t least = trial->suspect->heavy ? RULE_HEAVY_AGE : RULE_AGE_MIN;

    trial->to = trial->series->ticks;
    trial->from = trial->suspect->from;
    if (lives->uniform > trial->from)
        trial->from = lives->uniform;
    if (lives->complete > trial->from)
        trial->from = lives->complete;
    if (trial->from > trial->to)
        trial->from = trial->to;
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
    envelope_init(&out->total, series, column == SERIES_MAPS ? column : SERIES_TOTAL);
}

void trial_finish(struct trial *trial)
{
    envelope_fini(&trial->own);
    envelope_fini(&trial->total);
}

/* The envelope's newest eighth is left out: what is there has not lasted yet. */
static uint64_t settled(const struct trial *trial)
{
    return trial->to - (trial->to - trial->from) / RULE_SEGMENTS;
}

bool trial_has_stopped(const struct trial *trial)
{
    const uint64_t end = settled(trial), third = (end - trial->from) / 3;
    const double all = envelope_rate(&trial->own, trial->from, end);
    const double last = envelope_rate(&trial->own, end - third, end);
    const double others = envelope_rate(&trial->total, end - third, end);
    uint64_t still;
    double gap;

    if (!envelope_last_rise(&trial->own, trial->from, end, &still, &gap))
        return true;
    return (double)still > fmax(RULE_STILL_TICKS, RULE_STILL_GAPS * gap) ||
           last < RULE_LAST_THIRD * all || others < RULE_OTHERS * last;
}

/* Over twice the window of the suspicion, as far as there is history: the exact counters know it
 * whole. Laplace's trend test: A arrivals at a constant rate have their mean place within
 * 1 / sqrt(12 A) of the middle. The shift itself must be large too, else a long run would make
 * much of little. */
bool trial_is_slowing(const struct trial *trial, double units_of_one)
{
    const uint64_t from = trial->suspect->from, width = trial->to - from;
    const uint64_t end = trial->to - width / RULE_SEGMENTS;
    double units;
    const double shift = envelope_trend(&trial->own, from > width ? from - width : 0, end, &units);

    if (trial->suspect->slowed) /* then a part of it must be quite steady to count by itself */
        return shift < -RULE_TREND_STEADY;
    return shift < -RULE_TREND_SHIFT &&
           shift * sqrt(12 * units / units_of_one) < -RULE_TREND_ERRORS;
}

#define SLOPE_PARTS 16

static uint32_t least_in(const struct trial *trial, uint64_t from, uint64_t to)
{
    const struct series *series = trial->series;
    uint32_t least = UINT32_MAX;

    for (size_t i = series_after(series, from); i < series->count; i++) {
        const uint32_t here = series->points[i].least[trial->suspect->column];

        if (series->points[i].tick > to)
            break;
        least = here < least ? here : least;
    }
    return least;
}

/* One line through the minima of sixteen parts of the window. */
struct slope trial_slope(const struct trial *trial)
{
    const uint64_t ticks = trial->to - trial->from;
    const uint64_t width = ticks > SLOPE_PARTS ? ticks / SLOPE_PARTS : 1;
    double x[SLOPE_PARTS], y[SLOPE_PARTS];
    size_t parts = 0;

    for (uint64_t end = trial->from + width; end <= trial->to && parts < SLOPE_PARTS;
         end += width) {
        const uint32_t least = least_in(trial, end - width, end);

        if (least == UINT32_MAX)
            continue;
        x[parts] = (double)end;
        y[parts++] = least;
    }
    return stats_theil_sen(x, y, parts);
}

/* Back from the window, eighth by eighth, for as long as the class grew at half the pace. */
uint64_t trial_begin(const struct trial *trial)
{
    const uint64_t step = (trial->to - trial->suspect->from) / RULE_SEGMENTS + 1;
    const double pace = envelope_rate(&trial->own, trial->suspect->from, trial->to) / 2;
    uint64_t begin = trial->suspect->from;

    while (begin > 0) {
        const uint64_t before = begin > step ? begin - step : 0;

        if (envelope_rate(&trial->own, before, begin) < pace)
            break;
        begin = before;
    }
    return begin + 1;
}
