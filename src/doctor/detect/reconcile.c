/* reconcile.c - see reconcile.h. */
#include "doctor/detect/reconcile.h"

#include <math.h>

#include "doctor/detect/traces.h"
#include "doctor/held/reach.h"
#include "doctor/measure/collected.h"
#include "doctor/source/places.h"
#include "ledger/site_kind.h"

/* ---- garbage that waits for the collector ---- */

#define SHARE_LEAST 0.01 /* a site with a smaller share of all bytes is ignored */

/* The bytes that this life adds to the cohort's survivors. */
static double bytes_in(const struct life *life, const struct cohort *cohort)
{
    return !life->death && life->birth >= cohort->first && life->birth <= cohort->last
               ? life->units * (double)life->size
               : 0;
}

/* The cohort's surviving bytes of the site whose lives begin at index `from`. Sets `next` to the
 * index at which the next site begins. */
static double bytes_of_site(const struct lives *lives, const struct cohort *cohort, size_t from,
                            size_t *next)
{
    const uint32_t site = lives->items[from].site;
    double bytes = 0;
    size_t i = from;

    for (; i < lives->count && lives->items[i].site == site; i++)
        bytes += bytes_in(&lives->items[i], cohort);
    *next = i;
    return bytes;
}

double reconcile_waiting(struct visit *visit, const struct cohort *cohort)
{
    const struct lives *lives = visit_lives(visit, cohort->column);
    double all = 0, waits = 0;

    if (!cohort->pooled)
        return 0;
    for (size_t i = 0; i < lives->count; i++)
        all += bytes_in(&lives->items[i], cohort);
    for (size_t i = 0, next; i < lives->count; i = next) {
        const double bytes = bytes_of_site(lives, cohort, i, &next);
        struct collected collected;

        if (bytes < SHARE_LEAST * all || bytes <= 0)
            continue;
        collected_of(&collected, visit->model, lives->items[i].site);
        waits += collected_lag(&collected) ? bytes : 0;
    }
    return all > 0 ? waits / all : 0;
}

/* ---- the survivors of a line ----
 *
 * A compiled function has thousands of small blocks, allocated by hundreds of stacks. Few of these
 * stacks have enough blocks to be convicted alone. Once some are convicted, all survivors of the
 * line count.
 */

/* The surviving blocks that one line of the program allocates, by all stacks. */
struct survivors {
    double rate;   /* bytes per tick that survive, of old blocks: the smaller of two halves of the run */
    double bytes;  /* live bytes of any age */
    double blocks; /* live blocks of any age */
};

/* The block counts as a survivor. A block that was released after the last tick counts only if
 * an earlier collection left it alive: otherwise it may have been garbage. */
static bool stayed(const struct life *life, uint64_t collected)
{
    return !life->death && (!life->later || life->birth < collected);
}

/* The last tick whose blocks count as old: those of the last quarter are young. If a collection
 * came in the second half, blocks after it were not examined and may be garbage. */
static uint64_t last_birth(uint64_t n, uint64_t collected)
{
    const uint64_t old = n - n / 4;

    return collected >= n / 2 && collected < old ? collected : old;
}

static void survivors_of(struct survivors *out, struct visit *visit, const struct place *line)
{
    const uint64_t n = visit->series.ticks;
    const uint64_t collected = collected_at_work(visit->model, &visit->series);
    const uint64_t from = n / 8, to = last_birth(n, collected), middle = (from + to) / 2;
    double early = 0, late = 0;
    const struct lives *lives;
    uint32_t site = UINT32_MAX;
    bool here = false;

    *out = (struct survivors){0, 0, 0};
    if (!visit->places || !line || !line->file || !line->line || middle == from || to == middle)
        return;
    lives = visit_lives(visit, SERIES_TOTAL);
    for (size_t i = 0; i < lives->count; i++) {
        const struct life *life = &lives->items[i];
        const double bytes = life->units * (double)life->size;

        if (life->site != site) {
            site = life->site;
            here = reach_is_at(visit, site, line);
        }
        if (!here || !stayed(life, collected))
            continue;
        out->bytes += bytes;
        out->blocks += life->units;
        early += life->birth > from && life->birth <= middle ? bytes : 0;
        late += life->birth > middle && life->birth <= to ? bytes : 0;
    }
    out->rate = fmin(early / (double)(middle - from), late / (double)(to - middle));
}

/* ---- the rest of the growth ---- */

void reconcile_line(struct reconcile *whole, struct finding *out, struct visit *visit,
                    const struct place *places, size_t place_count)
{
    const double scale = clock_scale(&visit->clock);
    const double reported = out->rate.estimate / scale;
    const bool compiles = traces_compile(visit, places, place_count);
    struct survivors all;
    double more;

    if (!compiles && whole->unreported <= 0)
        return;
    whole->compiles |= compiles;
    survivors_of(&all, visit, places);
    more = all.rate - reported;
    if (!compiles)
        more = fmin(fmin(more, whole->unreported), reported);
    if (more <= 0)
        return;
    whole->unreported -= more;
    whole->beside += more;
    out->rate.high += more * scale;
    out->rate.estimate += more * scale;
    out->live_bytes = (uint64_t)fmax((double)out->live_bytes, all.bytes);
    out->live_blocks = (uint64_t)fmax((double)out->live_blocks, all.blocks);
}

/* The finding is a leak in the heap; with `tensors`, also a leak of tensors whose data is in the
 * heap. Tensors are sampled, and the sample seldom contains small ones. */
static bool is_heap_leak(const struct visit *visit, const struct finding *finding, bool tensors)
{
    const uint32_t kind = finding->site > 0 ? visit->model->sites[finding->site - 1].kind : SITE_MAP;

    return (tensors ? site_is_in_heap(kind) : kind == SITE_HEAP) && kind_status(finding->kind) == 1;
}

static double reported_of(const struct visit *visit, bool tensors)
{
    const double scale = clock_scale(&visit->clock);
    double reported = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        reported += is_heap_leak(visit, &visit->findings[i], tensors)
                    ? visit->findings[i].rate.estimate / scale
                    : 0;
    return reported;
}

static void scale_all(struct visit *visit, double factor, bool tensors)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct interval *rate = &visit->findings[i].rate;

        if (!is_heap_leak(visit, &visit->findings[i], tensors))
            continue;
        rate->estimate *= factor;
        rate->high = factor > 1 ? rate->high + rate->estimate * (1 - 1 / factor) : rate->high;
        rate->low = fmin(rate->low, rate->estimate);
    }
}

void reconcile_all(struct reconcile *whole, struct visit *visit)
{
    const double covered = whole->compiles ? RULE_COVERED_COMPILED : RULE_COVERED;
    const double reported = reported_of(visit, false), all = reported_of(visit, true);
    const bool more_grew = reported > 0 && whole->unreported > 0 &&
                           reported >= covered * (reported + whole->unreported);
    /* If memory is allocated and released in waves, only an upper bound of the growth is known. */
    const double growth = whole->growth > 0 ? whole->growth : series_growth_most(&visit->series);
    double more = 0;

    if (more_grew)
        more = whole->unreported;
    else if (growth > 0 && all > RULE_TOLD_MOST * (growth + whole->maps))
        more = growth + whole->maps - all;
    if (all > 0)
        scale_all(visit, 1 + more / (more_grew ? reported : all), !more_grew);
    whole->beside += more;
}
