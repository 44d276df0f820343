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
    trial->net_total = scale * ((double)segments.total[last] - (double)segments.total[0]);
    if (column == SERIES_MAPS)
        trial->net_total = trial->net; /* mappings are not blocks: nothing can leave instead */
}

static void measure_survivors(struct trial *trial)
{
    const bool heap = trial->suspect->column != SERIES_MAPS;
    double squares = 0;

    for (size_t i = 0; i < trial->lives->count; i++) {
        const struct life *life = &trial->lives->items[i];

        if (!trial_counts(trial, life))
            continue;
        trial->survivors += life->units;
        squares += heap && life->units > 1 ? life->units * (life->units - 1) : 0;
    }
    trial->survivors_error = sqrt(squares);
}

/* The window begins where the class is known best: see struct lives. */
static void place_window(struct trial *trial)
{
    const struct lives *lives = trial->lives;
    const uint64_t least = trial->suspect->heavy ? RULE_HEAVY_AGE : RULE_AGE_MIN;

    trial->to = trial->series->ticks;
    trial->from = trial->suspect->from;
    if (lives->certain != UINT64_MAX && lives->certain > trial->from)
        trial->from = lives->certain;
    if (lives->complete > trial->from)
        trial->from = lives->complete;
    if (trial->from > trial->to)
        trial->from = trial->to;
    trial->age = (trial->to - trial->from) / RULE_AGE_SHARE;
    if (trial->age < least)
        trial->age = least;
}

void trial_prepare(struct trial *out, const struct model *model, const struct series *series,
                   const struct suspect *suspect, const struct lives *lives, struct arena *arena)
{
    const unsigned column = suspect->column;

    *out = (struct trial){.model = model, .series = series, .suspect = suspect, .lives = lives};
    place_window(out);
    out->sites = sites_tested(out);
    measure_net(out);
    measure_survivors(out);
    envelope_build(&out->own, series, column, arena);
    envelope_build(&out->total, series, column == SERIES_MAPS ? column : ENVELOPE_TOTAL, arena);
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

/* Random arrivals make thirds differ; only a difference beyond that is slowing. */
bool trial_is_slowing(const struct trial *trial, double dispersion)
{
    const uint64_t end = settled(trial), third = (end - trial->from) / 3;
    const double first = envelope_rate(&trial->own, trial->from, trial->from + third);
    const double last = envelope_rate(&trial->own, end - third, end);
    const double noise =
        sqrt(dispersion * (first + RULE_SLOWING * RULE_SLOWING * last) * (double)third);

    return (first - RULE_SLOWING * last) * (double)third > noise ||
           envelope_slowing(&trial->own, trial->suspect->from, trial->to) > RULE_SLOWING;
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

    for (uint64_t end = trial->from + width; end <= trial->to && parts < SLOPE_PARTS; end += width) {
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
