/* queue.c - see queue.h. */
#include "doctor/detect/queue.h"

#include <math.h>

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/resident.h"
#include "doctor/measure/cohort_window.h"

/* The counter rises steadily: it is higher in every eighth of the window than in the one before,
 * and the rise is neither early nor late in the window. */
static bool rises_steadily(const struct trial *trial)
{
    const uint64_t from = trial->suspect->from,
                   end = trial->to - (trial->to - from) / RULE_SEGMENTS;
    uint32_t least[RULE_SEGMENTS];
    struct segments segments;
    double units;

    if (!series_segments(trial->series, from, trial->to, &segments))
        return false;
    for (unsigned i = 0; i < RULE_SEGMENTS; i++)
        least[i] = segments.least[i][trial->suspect->column];
    return classes_rising(least, RULE_SEGMENTS - 1) &&
           fabs(envelope_trend(&trial->own, from, end, &units)) < RULE_BACKLOG_BEND;
}

/* How long the blocks of a suspect waited. The arrays have the first and the last third of the
 * window. */
struct waiting {
    double births;   /* blocks born in the window */
    double sum[2];   /* sum of the ages at death, in ticks */
    double count[2]; /* number of deaths */
    uint32_t site;   /* the site with most sampled blocks, index into model->sites */
};

/* Sums the ages at death of the blocks that died in the window. */
static void measure(struct waiting *out, const struct trial *trial)
{
    const uint64_t third = (trial->to - trial->from) / 3;
    const struct lives *lives = trial->lives;
    size_t run = 0, most = 0;

    for (size_t i = 0; i < lives->count; i++) {
        const struct life *life = &lives->items[i];
        const bool first = life->death > trial->from && life->death <= trial->from + third;
        const bool last = life->death > trial->to - third;

        run = i > 0 && life->site == lives->items[i - 1].site ? run + 1 : 1;
        out->site = run > most ? life->site : out->site;
        most = run > most ? run : most;
        out->births += life->birth > trial->from ? life->units : 0;
        if (!life->death || !(first || last))
            continue;
        out->sum[last] += (double)(life->death - life->birth);
        out->count[last]++;
    }
}

static bool waits_longer(const struct waiting *waiting)
{
    if (waiting->count[0] < RULE_SURVIVORS || waiting->count[1] < RULE_SURVIVORS)
        return false;
    return waiting->sum[1] / waiting->count[1] >=
           RULE_BACKLOG_WAITS * waiting->sum[0] / waiting->count[0];
}

static bool is_backlog(const struct trial *trial, struct waiting *waiting)
{
    if (trial_window(trial) < RULE_BACKLOG_TICKS || !rises_steadily(trial))
        return false;
    measure(waiting, trial);
    return waits_longer(waiting) && trial->net >= RULE_BACKLOG_ERRORS * sqrt(2 * waiting->births);
}

static struct cohort as_cohort(const struct trial *trial, uint32_t site, const struct slope *slope)
{
    const double size = (double)trial->lives->items[0].size;

    return (struct cohort){.state = COHORT_GROWING,
                           .column = trial->suspect->column,
                           .site = site,
                           .certain = true,
                           .first = trial->from + 1,
                           .last = trial->to,
                           .rate = {slope->estimate * size, slope->low * size, slope->high * size},
                           .since = trial_begin(trial)};
}

bool backlog_find(struct backlog *out, const struct model *model, const struct series *series,
                  const struct suspect *suspect, const struct lives *lives)
{
    struct waiting waiting = {.births = 0};
    struct trial trial;
    struct slope slope = {0, 0, 0};

    if (suspect->column >= SERIES_MAPS || lives->certain == UINT64_MAX || lives->count == 0)
        return false;
    trial_prepare(&trial, model, series, suspect, lives);
    if (is_backlog(&trial, &waiting)) {
        slope = trial_slope(&trial);
        *out = (struct backlog){.cohort = as_cohort(&trial, waiting.site, &slope),
                                .waited = (uint64_t)(waiting.sum[0] / waiting.count[0]),
                                .waits = (uint64_t)(waiting.sum[1] / waiting.count[1])};
    }
    trial_finish(&trial);
    return slope.low > 0;
}

/* ---- the finding ---- */

/* The suspects are classes that grow; a queue is one whose blocks die. */
bool detect_queue_applies(const struct visit *visit)
{
    return visit->suspect_count > 0;
}

void detect_queue(struct visit *visit)
{
    for (size_t i = 0; i < visit->suspect_count; i++) {
        const struct suspect *suspect = &visit->suspects[i];
        struct backlog backlog;
        struct finding *out;

        if (visit->outcomes[suspect->column].best.state == COHORT_GROWING ||
            (i > 0 && visit->suspects[i - 1].column == suspect->column) ||
            !backlog_find(&backlog, visit->model, &visit->series, suspect,
                          visit_lives(visit, suspect->column)) ||
            visit->runtime->waits(visit, backlog.cohort.site) ||
            attribute_loading(visit, backlog.cohort.site) || !(out = visit_add(visit)))
            continue;
        out->kind = KIND_retained;
        out->confidence = 0.9;
        out->rate = visit_rate(visit, backlog.cohort.rate);
        out->since = backlog.cohort.since;
        out->site = backlog.cohort.site + 1;
        out->live_bytes = visit->model->sites[backlog.cohort.site].live_weight;
        out->live_blocks = visit->model->sites[backlog.cohort.site].live_blocks;
        advise(out, REMEDY_drain);
        attribute_locate(out, visit, backlog.cohort.site);
        out->headline = FACT_OF(queue_grows, 0);
        fact_add(out, FACT_OF(queue_waits, backlog.waited, backlog.waits));
        fact_add(out, resident_fact(visit));
        attribute_hold(out, visit, backlog.cohort.site, backlog.cohort.events);
        visit_grow(visit, out, backlog.cohort.rate);
    }
}
