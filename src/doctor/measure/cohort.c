/* cohort.c - see cohort.h; the rule in words, with its reasons, is in docs/internals/rules.md. */
#include "doctor/measure/cohort.h"

#include <math.h>

#include "doctor/measure/cohort_window.h"

/* ---- the conditions ---- */

/* The survivors of the window, and the blocks that they stand for. */
struct tally {
    double exposure;             /* ticks that blocks lived beyond the age at which they are old */
    double newer;                /* units of survivors born in the newer half of the window */
    uint64_t newer_blocks;       /* sampled blocks that `newer` comes from */
    double parts[RULE_SEGMENTS]; /* units of survivors born in each eighth of the window */
    uint64_t newest;             /* tick of the newest survivor's birth */
    uint64_t oldest;             /* tick of the oldest survivor's birth */
};

static void count_survivor(struct cohort *out, struct tally *tally, const struct trial *trial,
                           const struct life *life)
{
    const uint64_t span = trial->to - trial->age - trial->from;
    const uint64_t at = life->birth - trial->from - 1;

    out->events += out->alive == 0 || life->birth != tally->newest;
    tally->oldest = out->alive == 0 || life->birth < tally->oldest ? life->birth : tally->oldest;
    tally->newest = life->birth > tally->newest ? life->birth : tally->newest;
    tally->newer += at * 2 >= span ? life->units : 0;
    tally->newer_blocks += at * 2 >= span;
    tally->parts[at * RULE_SEGMENTS / span] += life->units;
    out->alive++;
    out->units += life->units;
    out->bytes += trial->suspect->column == SERIES_MAPS ? (double)life->size
                                                        : life->units * (double)life->size;
}

/* Counts the blocks in the order of births, so that distinct ticks of birth can be counted.
 * `order` has the indexes in that order; NULL: `lives` already has it. */
static void count_lives(struct cohort *out, struct tally *tally, const struct trial *trial,
                        const struct life *lives, const uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct life *life = &lives[order ? order[i] : i];
        const uint64_t end = life->death ? life->death : trial->to;
        const uint64_t lived = end > life->birth ? end - life->birth : 0;

        if (life->birth > trial->to)
            continue;
        out->old_alive += !life->death && lived >= trial->age;
        if (life->birth <= trial->from)
            continue;
        if (lived > trial->age)
            tally->exposure += (double)(lived - trial->age);
        out->released += life->death && lived > trial->age;
        if (trial_counts(trial, life))
            count_survivor(out, tally, trial, life);
    }
}

/* Condition 1: far fewer old blocks died than would have died if blocks lived half the window on
 * average. */
static bool old_ones_live(struct cohort *out, const struct tally *tally, const struct trial *trial)
{
    const double expected = tally->exposure / (trial_window(trial) / 2);

    out->tail = stats_poisson_below(expected, (double)out->released) * (double)trial->sites;
    return out->tail <= RULE_TAIL;
}

/* Ticks from one sampled survivor to the next. If the sampling rate falls during the window, each newer
 * survivor stands for more blocks, and the gaps become longer although as many arrive. */
static double gap_of(const struct cohort *out, const struct tally *tally)
{
    const double span = (double)(tally->newest - tally->oldest);
    const double newer = tally->newer_blocks ? tally->newer / (double)tally->newer_blocks : 0;

    return fmax(span / (double)(out->events - 1), span * newer / out->units);
}

/* Condition 2: survivors keep arriving, to the end. Tensors are sampled, and recent samples may
 * be few and heavily weighted. So the exact tensor count also decides whether growth stopped. */
static bool new_ones_come(const struct cohort *out, const struct tally *tally,
                          const struct trial *trial)
{
    const bool sampled = out->column == SERIES_TENSORS && tally->newer_blocks > 0;
    const double gaps = sampled ? RULE_GAP_TENSORS : RULE_GAP;
    const double error = sampled ? tally->newer / sqrt((double)tally->newer_blocks) : 0;
    const double quiet = (double)(trial->to - trial->age - tally->newest);

    return quiet <= gaps * gap_of(out, tally) + 1 &&
           tally->newer + error >= out->units / RULE_NEWER_HALF;
}

/* 0 for regular arrivals, one block for random ones. Larger values would be bursts, which are
 * not noise, so they count as one block. */
static double dispersion(const struct cohort *out, const struct tally *tally)
{
    const double one = out->alive ? out->units / (double)out->alive : 1;

    return fmin(one, stats_dispersion(tally->parts, RULE_SEGMENTS));
}

/* Condition 3: the exact counter of the class grows by as much as survives, more than chance
 * explains, and other blocks do not leave in exchange. */
static bool class_agrees(const struct cohort *out, const struct tally *tally,
                         const struct trial *trial)
{
    const double scale = trial_window(trial) / (trial_window(trial) - (double)trial->age);
    const double q = dispersion(out, tally);

    return trial_agrees(trial, scale) &&
           trial->net >= RULE_NOISE * sqrt(2 * out->units * q) &&
           !trial_others_leave(trial);
}

/* Exact counters count blocks; mappings are counted in pages. */
static double units_of_one(const struct cohort *out, const struct trial *trial)
{
    return trial->suspect->column == SERIES_MAPS ? out->units / (double)out->alive : 1;
}

static bool cohort_stays(const struct cohort *out)
{
    const double old = (double)(out->old_alive + out->old_released);

    return (double)out->old_alive >= RULE_ALIVE * old;
}

/* Few old blocks were released. More releases would mean a store that evicts entries. */
static bool few_evicted(uint64_t alive, uint64_t released)
{
    return (double)released <= RULE_EVICTED * (double)(alive + released);
}

/* The window, the survivors or their distinct births are fewer than the rules need. */
static bool too_short(const struct cohort *out, const struct trial *trial)
{
    const uint64_t least = trial->suspect->heavy ? RULE_SEGMENTS : RULE_WINDOW_MIN;

    return trial->to - trial->from < least || out->alive < RULE_SURVIVORS ||
           out->events < RULE_EVENTS;
}

static enum cohort_state state_of(struct cohort *out, const struct tally *tally,
                                  const struct trial *trial)
{
    bool live;

    if (!cohort_stays(out))
        return COHORT_RELEASED;
    if (too_short(out, trial))
        return out->released > out->alive || trial_others_leave(trial)
                   ? COHORT_RELEASED
                   : COHORT_SHORT;
    live = old_ones_live(out, tally, trial) && few_evicted(out->alive, out->released) &&
           few_evicted(out->old_alive, out->old_released);
    if (!live && out->released * 4 > out->alive)
        return COHORT_RELEASED;
    if (!new_ones_come(out, tally, trial) || trial_has_stopped(trial))
        return COHORT_STOPPED;
    if (trial->blind)
        return COHORT_SHORT;
    if (!class_agrees(out, tally, trial))
        return COHORT_RELEASED;
    if (trial_is_slowing(trial, units_of_one(out, trial)))
        return COHORT_SLOWING;
    return live ? COHORT_GROWING : COHORT_SHORT;
}

/* Rate and interval. If every block was sampled, the survivors give the bytes. Of a sample, the
 * survivors give the mean size and the site's share, and the exact counter gives the number. For
 * all classes together the mean size of a sample is useless, because large blocks are sampled
 * and small ones hardly; there the exact growth of bytes is divided among the sites. The counter
 * gives the interval too. Sen's interval is too narrow for counters that grow in steps, so it is
 * widened by one block. */
static void set_rate(struct cohort *out, const struct trial *trial)
{
    const double ticks = trial_window(trial) - (double)trial->age;
    const bool total = trial_knows_bytes(trial) && !out->certain;
    const struct slope slope = total ? trial_slope_bytes(trial) : trial_slope(trial);
    const double block = out->alive ? out->bytes / out->units / trial_window(trial) : 0;
    const double unit = trial->suspect->column == SERIES_MAPS ? 0 : block;

    out->rate.estimate = ticks > 0 ? out->bytes / ticks : 0;
    if (!out->certain && slope.estimate > 0 && trial->survivors > 0)
        out->rate.estimate = slope.estimate * out->bytes /
                             (total ? trial->survivor_bytes : trial->survivors);
    out->rate.low = out->rate.estimate / 2;
    out->rate.high = out->rate.estimate * 2;
    if (slope.estimate > 0) {
        out->rate.low = fmax(0, out->rate.estimate * slope.low / slope.estimate - unit);
        out->rate.high = out->rate.estimate * slope.high / slope.estimate + unit;
    }
    out->rate.low = fmin(out->rate.low, out->rate.estimate);
    out->rate.high = fmax(out->rate.high, out->rate.estimate);
}

/* ---- judging sites ---- */

static void try_lives(struct cohort *out, const struct trial *trial, const struct life *lives,
                      const uint32_t *order, size_t count)
{
    struct tally tally = {0};

    *out = (struct cohort){.column = trial->suspect->column,
                           .certain = trial->lives->certain <= trial->from,
                           .heavy = trial->suspect->heavy,
                           .first = trial->from + 1,
                           .last = trial->to > trial->age ? trial->to - trial->age : 0,
                           .age = trial->age,
                           .until = trial->lives->until,
                           .sites = trial->sites,
                           .tail = 1};
    if (trial->from + trial->age >= trial->to) {
        out->state = COHORT_SHORT;
        return;
    }
    count_lives(out, &tally, trial, lives, order, count);
    if (out->alive > 0) /* lives_died_old() may cost a pass over all sites */
        out->old_released =
            lives_died_old(trial->model, trial->series, trial->lives, lives, count, trial->age);
    out->state = state_of(out, &tally, trial);
    set_rate(out, trial);
    out->since = trial_begin(trial);
}

static size_t end_of_site(const struct lives *lives, size_t begin)
{
    size_t end = begin;

    while (end < lives->count && lives->items[end].site == lives->items[begin].site)
        end++;
    return end;
}

static void try_site(struct cohort *out, const struct trial *trial, size_t begin, size_t end)
{
    const struct life *lives = trial->lives->items + begin;

    try_lives(out, trial, lives, NULL, end - begin);
    out->site = lives->site;
}

static bool better(const struct cohort *left, const struct cohort *right)
{
    if (left->state != right->state)
        return left->state > right->state;
    return left->bytes > right->bytes;
}

/* Judges all sites as one: if many call paths reach a leak, each leaves only a few blocks. */
static void try_pooled(struct cohort *out, const struct trial *trial, uint32_t site)
{
    const struct lives *lives = trial->lives;

    try_lives(out, trial, lives->items, lives->by_birth, lives->count);
    out->site = site;
    out->pooled = true;
}

void cohort_judge(struct cohort *out, const struct model *model, const struct series *series,
                  const struct suspect *suspect, const struct lives *lives)
{
    struct cohort best = {.column = suspect->column}, pooled = best, one;
    struct trial trial;
    double most = -1;
    uint32_t largest = 0;
    size_t tried = 0;

    trial_prepare(&trial, model, series, suspect, lives);
    for (size_t begin = 0, end; begin < lives->count; begin = end, tried++) {
        end = end_of_site(lives, begin);
        try_site(&one, &trial, begin, end);
        best = tried == 0 || better(&one, &best) ? one : best;
        largest = one.bytes > most ? one.site : largest;
        most = one.bytes > most ? one.bytes : most;
    }
    *out = best;
    if (tried == 0 || best.state != COHORT_GROWING)
        try_pooled(&pooled, &trial, largest);
    trial_finish(&trial);
    if (tried > 0 && best.state == COHORT_GROWING)
        return;
    if (tried == 0 || better(&pooled, &best) || best.state == COHORT_SHORT)
        *out = pooled; /* a single site has too few blocks, so it is judged with all others */
}

size_t cohort_members(struct cohort *out, size_t room, const struct model *model,
                      const struct series *series, const struct suspect *suspect,
                      const struct lives *lives)
{
    struct cohort pooled = {.state = COHORT_RELEASED}, one;
    struct trial trial;
    double covered = 0, most = -1;
    uint32_t largest = 0;
    size_t count = 0;

    trial_prepare(&trial, model, series, suspect, lives);
    for (size_t begin = 0, end; begin < lives->count && count < room; begin = end) {
        end = end_of_site(lives, begin);
        try_site(&one, &trial, begin, end);
        largest = one.bytes > most ? one.site : largest;
        most = one.bytes > most ? one.bytes : most;
        if (one.state != COHORT_GROWING)
            continue;
        covered += one.bytes;
        out[count++] = one;
    }
    if (count > 0)
        try_pooled(&pooled, &trial, largest);
    trial_finish(&trial);
    if (pooled.state == COHORT_GROWING && covered < RULE_COVERED * pooled.bytes) {
        out[0] = pooled;
        count = 1;
    }
    return count;
}
