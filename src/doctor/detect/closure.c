/* closure.c - a clean verdict needs a closed account.
 *
 * Where live memory, an interpreter's arenas or the resident size rises to the end and nothing that was found
 * explains it, the answer is "not decided", with what rises.
 *
 * Two witnesses: the counters of the process at its ticks, and, where it made too few of those, its resident
 * size as `tare run` has read it from outside, ten times a second. A program that never calls malloc is seen
 * by the second alone.
 */
#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/resident.h"
#include "doctor/facts/quantity.h"
#include "doctor/measure/collected.h"

static uint64_t live_at(const struct point *point)
{
    return point->live_min + point->mapped;
}

static uint64_t arenas_at(const struct point *point)
{
    return point->arenas;
}

static uint64_t resident_at(const struct point *point)
{
    return point->resident;
}

#define LATE 3 /* parts at the end in which it still rises: stairs have flat places */

/* What may rise, and by how much before it counts: so many bytes, and so large a share of the process. */
struct quantity {
    enum quantity_id id;
    uint64_t (*read)(const struct point *point);
    uint64_t least;
    double share;
    bool resident;
};

#define QUANTITIES 3

static void list_quantities(struct quantity out[QUANTITIES])
{
    out[0] = (struct quantity){QUANTITY_LIVE, live_at, RULE_CLOSED_LIVE, RULE_CLOSED_SHARE, false};
    out[1] = (struct quantity){QUANTITY_ARENAS, arenas_at, RULE_CLOSED_LIVE, RULE_CLOSED_SHARE, false};
    out[2] = (struct quantity){QUANTITY_RESIDENT, resident_at, RULE_GAP_BYTES, RULE_CLOSED_RESIDENT, true};
}

/* The course of one quantity, at ticks or at times. */
struct track {
    struct reading {
        uint64_t at, value;
    } *readings; /* owned by the scratch arena; NULL: none */
    size_t count;
    uint64_t begin, end; /* of what is judged */
    bool outside;
};

static void read_ticks(struct track *out, const struct visit *visit, const struct quantity *quantity)
{
    const struct series *series = &visit->series;
    const size_t count = series->count;

    *out = (struct track){.readings = arena_take(visit->scratch, count + 1, sizeof(*out->readings)),
                          .end = count > 0 ? series->points[count - 1].tick : 0};
    for (size_t i = 0; out->readings && i < count; i++)
        out->readings[out->count++] =
            (struct reading){series->points[i].tick, quantity->read(&series->points[i])};
}

static bool is_root(const struct visit *visit)
{
    const struct model *own = visit->run ? visit->run->own : NULL;

    for (size_t i = 0; own && i < own->process_count; i++)
        if (own->processes[i].flags & PROCESS_ROOT)
            return own->processes[i].pid == visit->model->head.pid;
    return false;
}

/* From where the judged phase begins: what the process loads before its first tick is not growth. */
static uint64_t begin_of(const struct visit *visit)
{
    const struct model *model = visit->model;
    uint64_t begin = model->head.start_mono;

    for (size_t i = 0; i < model->step_count && model->steps[i].last <= visit->clock.from; i++)
        begin = model->steps[i].time;
    if (visit->series.count > 0 && !visit->series.slices && visit->series.points[0].time > begin)
        begin = visit->series.points[0].time;
    return begin;
}

/* The readings are of the process that `tare run` started, and of no other. */
static void read_times(struct track *out, const struct visit *visit)
{
    const struct model *own = visit->run ? visit->run->own : NULL;
    const uint64_t begin = begin_of(visit);
    const size_t count = own && is_root(visit) ? own->sample_count : 0;

    *out = (struct track){.readings = arena_take(visit->scratch, count + 1, sizeof(*out->readings)),
                          .begin = begin,
                          .outside = true};
    for (size_t i = 0; out->readings && i < count; i++) {
        const struct sample_record *sample = &own->samples[i];

        if (sample->time <= begin || sample->root_resident == 0)
            continue;
        out->readings[out->count++] = (struct reading){sample->time, sample->root_resident};
        out->end = sample->time;
    }
}

/* What lasts of a quantity: at the end of each eighth after the first quarter, the least of all that came
 * later. It never falls. Where something comes and goes, it rises only by what each return left behind.
 * `parts` has one more entry, for the beginning. False: too few readings. */
static bool read_parts(uint64_t parts[RULE_SEGMENTS + 1], const struct track *track)
{
    const uint64_t whole = track->end > track->begin ? track->end - track->begin : 0;
    const uint64_t width = (whole - whole / 4) / RULE_SEGMENTS;
    size_t at = track->count, readings = 0;
    uint64_t least = UINT64_MAX;

    for (unsigned part = RULE_SEGMENTS + 1; part-- > 0;) {
        const uint64_t end = track->end - (RULE_SEGMENTS - part) * width;

        for (; at > 0 && track->readings[at - 1].at >= end; at--, readings++)
            least = track->readings[at - 1].value < least ? track->readings[at - 1].value : least;
        parts[part] = least;
    }
    return width > 0 && readings > RULE_SEGMENTS;
}

/* By how much it rose to the end; 0: it did not, in most parts or in several stairs, or no longer does. Half
 * of the rise must be in each half: what will be released at its next return rises in the second alone. */
static uint64_t rise_of(const uint64_t parts[RULE_SEGMENTS + 1])
{
    const unsigned last = RULE_SEGMENTS, middle = RULE_SEGMENTS / 2;
    const uint64_t first_half = parts[middle] - parts[0], second_half = parts[last] - parts[middle];
    const uint64_t rise = 2 * (first_half < second_half ? first_half : second_half);
    unsigned rises = 0;

    for (unsigned i = 0; i < last; i++)
        rises += parts[i + 1] > parts[i];
    if (rises < RULE_CLOSED_STAIRS)
        return 0;
    return (double)(parts[last] - parts[last - LATE]) >= RULE_PACE * (double)rise * LATE / last ? rise : 0;
}

/* In JavaScript what rises may wait for a collection, unless several came while it rose. */
static bool may_be_garbage(const struct visit *visit)
{
    const struct model *model = visit->model;
    const size_t begin = series_after(&visit->series, visit->series.ticks / 4);
    const uint64_t from = begin < visit->series.count ? visit->series.points[begin].ordinal : UINT64_MAX;
    uint64_t before = 0;

    if (!visit->runtime->frees_later)
        return false;
    for (size_t i = 0; i < model->step_count && model->steps[i].last <= from; i++)
        before = model->steps[i].gauges[GAUGE_collections];
    return model->step_count == 0 ||
           model->steps[model->step_count - 1].gauges[GAUGE_collections] < before + RULE_CLOSED_STAIRS;
}

/* The verdict is not clean anyway; or what rises may be garbage. */
static bool is_settled(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!visit->findings[i].note && visit->findings[i].kind >= KIND_undecided)
            return true;
    return may_be_garbage(visit);
}

/* A finding that is not a leak explains this rise: free memory that is kept is resident, what waits for a
 * collector is live, and so is what a container holds until its declared bound. `rate`: of the rise, as
 * findings have it. */
static bool is_explained(const struct visit *visit, const struct quantity *quantity, double rate)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *one = &visit->findings[i];

        if (one->note)
            continue;
        if (quantity->read != live_at &&
            (one->kind == KIND_fragmentation || one->kind == KIND_framework_cache))
            return true;
        if ((one->kind == KIND_gc_lag || one->kind == KIND_plateau) &&
            one->rate.high >= RULE_CLOSED_PART * rate)
            return true;
    }
    return false;
}

/* Bytes per tick, or per second, as the clock's unit says. */
static double rate_of(const struct visit *visit, const struct track *track, uint64_t rise)
{
    const double seen = (double)(track->end - track->begin) * 0.75;

    if (!track->outside)
        return (double)rise / seen * clock_scale(&visit->clock);
    return (double)rise / (seen / 1e9) * (visit->clock.id == CLOCK_time ? 1 : visit->clock.seconds);
}

/* How long the rise took. */
struct span {
    uint64_t length;
    enum span_unit unit;
};

static struct span span_of(const struct track *track)
{
    const uint64_t seen = track->end - track->begin - (track->end - track->begin) / 4;

    return (struct span){seen, track->outside ? SPAN_TIME : SPAN_TICKS};
}

static void report(struct visit *visit, const struct quantity *quantity, double rate, uint64_t rise,
                   struct span span)
{
    struct finding *out = visit_add(visit);
    const uint64_t ticks = visit->series.ticks, unseen = resident_unseen(visit->model);
    uint32_t site;

    if (!out)
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->since = ticks / 4 + 1;
    out->more_steps = ticks;
    out->rate = (struct interval){rate, 0, 2 * rate};
    advise(out, REMEDY_longer);
    out->headline = FACT_OF(unexplained_rise, quantity->id, rise, span.length, span.unit);
    if (quantity->resident && unseen >= rise / 2) {
        advise(out, REMEDY_unseen);
        fact_add(out, FACT_OF(unseen_allocator, unseen));
        return;
    }
    site = visit->series.count > 0 ? visit_kept_site(visit) : UINT32_MAX;
    if (site < visit->model->site_count && visit->model->sites[site].live_weight >= rise / 2)
        attribute_locate(out, visit, site);
}

/* The most by which live bytes fell from one record to a later one, after this ordinal and before the end of
 * the series: known garbage was taken out of that. */
static uint64_t deepest_fall(const struct visit *visit, uint64_t from)
{
    const struct model *model = visit->model;
    uint64_t most = 0, fall = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];

        if (step->last < from || step->last > visit->series.ordinals)
            continue;
        most = step->live_min > most ? step->live_min : most;
        fall = most - step->live_min > fall ? most - step->live_min : fall;
    }
    return fall;
}

/* In JavaScript garbage comes and goes: a rise that is smaller than a fall before it is a part of that. */
static bool is_within_garbage(const struct visit *visit, uint64_t rise)
{
    const struct series *series = &visit->series;
    const size_t begin = series_after(series, series->ticks / 4);

    return visit->runtime->frees_later && begin < series->count &&
           rise < deepest_fall(visit, series->points[begin].ordinal);
}

static bool matters(const struct visit *visit, const struct quantity *quantity, uint64_t rise)
{
    const double resident = visit_resident(visit);

    return rise >= quantity->least && (double)rise >= quantity->share * resident &&
           !is_within_garbage(visit, rise) &&
           !(quantity->resident &&
             resident_is_files(visit->model, visit->run, &visit->series, rise));
}

/* ---- a phase that comes again ---- */

/* Live memory at its least of each return: from the end of the stretch before to its own end; and after the
 * last one. What a return releases before the next one comes is in none of them. */
static size_t read_returns(uint64_t least[RULE_RETURNS_MOST + 1], const struct visit *visit)
{
    const struct phase_loop *loop = visit->clock.loop;
    const struct model *model = visit->model;
    const size_t count = loop->stretch_count;
    size_t at = 0;

    for (size_t i = 0; i <= count; i++)
        least[i] = UINT64_MAX;
    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];
        const uint64_t live = step->live_min + step->mapped_bytes + step->shared_bytes;

        while (at < count && step->clock[CLOCK_loop] > loop->stretches[at].end)
            at++;
        if (step->last >= visit->clock.from && step->ticked)
            least[at] = live < least[at] ? live : least[at];
    }
    return least[count] == UINT64_MAX ? count : count + 1;
}

/* What the returns left, where it was about as much each time; 0: it was not. The first of them may have set
 * something up. */
static uint64_t left_by_returns(const uint64_t *least, size_t count)
{
    const uint64_t rise = count > 2 && least[count - 1] > least[1] ? least[count - 1] - least[1] : 0;

    if (count < RULE_CLOSED_STAIRS + 2)
        return 0;
    for (size_t i = 1; i + 1 < count; i++) {
        const double gain = (double)least[i + 1] - (double)least[i];

        if (gain * (double)(count - 2) < RULE_CLOSED_EVEN * (double)rise)
            return 0;
    }
    return rise;
}

static void check_returns(struct visit *visit)
{
    uint64_t least[RULE_RETURNS_MOST + 1], rise;
    struct quantity quantities[QUANTITIES];
    double rate;
    size_t count;

    list_quantities(quantities);
    if (!visit->clock.loop || visit->clock.loop->stretch_count > RULE_RETURNS_MOST ||
        visit->runtime->frees_later)
        return;
    count = read_returns(least, visit);
    rise = left_by_returns(least, count);
    rate = (double)rise / (double)visit->series.ticks * clock_scale(&visit->clock);
    if (rise >= RULE_CLOSED_RETURNS && (double)rise >= RULE_CLOSED_RETURNS_SHARE * visit_resident(visit) &&
        !is_explained(visit, &quantities[0], rate))
        report(visit, &quantities[0], rate, rise, (struct span){count - 2, SPAN_RETURNS});
}

/* True: one of them rose. */
static bool check_quantities(struct visit *visit)
{
    const bool few = visit->series.count == 0 || visit->series.ticks < visit->series.first_look;
    struct quantity quantities[QUANTITIES];

    list_quantities(quantities);
    for (size_t i = 0; i < QUANTITIES; i++) {
        const struct quantity *quantity = &quantities[i];
        uint64_t parts[RULE_SEGMENTS + 1], rise;
        struct track track;

        if (few && !quantity->resident)
            continue;
        if (few)
            read_times(&track, visit);
        else
            read_ticks(&track, visit, quantity);
        rise = read_parts(parts, &track) ? rise_of(parts) : 0;
        if (!matters(visit, quantity, rise) ||
            is_explained(visit, quantity, rate_of(visit, &track, rise)))
            continue;
        report(visit, quantity, rate_of(visit, &track, rise), rise, span_of(&track));
        return true;
    }
    return false;
}

bool detect_closure_applies(const struct visit *visit)
{
    return !is_settled(visit);
}

void detect_closure(struct visit *visit)
{
    if (!check_quantities(visit))
        check_returns(visit);
}
