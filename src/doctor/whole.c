/* whole.c - see whole.h. */
#include "doctor/whole.h"

#include <math.h>

#include "doctor/kept.h"
#include "doctor/survivors.h"
#include "ledger/site_kind.h"

void whole_complete(struct whole *whole, struct finding *out, struct visit *visit,
                    const struct place *places, size_t place_count)
{
    const double scale = clock_scale(&visit->clock);
    const double told = out->rate.estimate / scale;
    const bool compiles = kept_compiles(visit, places, place_count);
    struct survivors all;
    double more;

    if (!compiles && whole->untold <= 0)
        return;
    whole->compiles |= compiles;
    survivors_of(&all, visit, places);
    more = all.rate - told;
    if (!compiles)
        more = fmin(fmin(more, whole->untold), told);
    if (more <= 0)
        return;
    whole->untold -= more;
    whole->beside += more;
    out->rate.high += more * scale;
    out->rate.estimate += more * scale;
    out->live_bytes = (uint64_t)fmax((double)out->live_bytes, all.bytes);
    out->live_blocks = (uint64_t)fmax((double)out->live_blocks, all.blocks);
}

/* `tensors`: or of tensors whose data is there; of those only a sample is followed, and small ones are seldom
 * in it. */
static bool is_heap_leak(const struct visit *visit, const struct finding *finding, bool tensors)
{
    const uint32_t kind = finding->site > 0 ? visit->model->sites[finding->site - 1].kind : SITE_MAP;

    return (tensors ? site_is_in_heap(kind) : kind == SITE_HEAP) && kind_status(finding->kind) == 1;
}

static double told_of(const struct visit *visit, bool tensors)
{
    const double scale = clock_scale(&visit->clock);
    double told = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        told += is_heap_leak(visit, &visit->findings[i], tensors)
                    ? visit->findings[i].rate.estimate / scale
                    : 0;
    return told;
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

void whole_share_out(struct whole *whole, struct visit *visit)
{
    const double covered = whole->compiles ? RULE_COVERED_COMPILED : RULE_COVERED;
    const double told = told_of(visit, false), all = told_of(visit, true);
    const bool more_grew = told > 0 && whole->untold > 0 && told >= covered * (told + whole->untold);
    /* Where memory comes and goes, it is known only how much can have stayed. */
    const double growth = whole->growth > 0 ? whole->growth : series_growth_most(&visit->series);
    double more = 0;

    if (more_grew)
        more = whole->untold;
    else if (growth > 0 && all > RULE_TOLD_MOST * (growth + whole->maps))
        more = growth + whole->maps - all;
    if (all > 0)
        scale_all(visit, 1 + more / (more_grew ? told : all), !more_grew);
    whole->beside += more;
}
