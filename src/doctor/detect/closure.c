/* closure.c - a clean verdict needs a closed account.
 *
 * If live memory, an interpreter's arenas or the resident size rises to the end of the run and no
 * finding explains it, the verdict is "undecided", and the finding names what rises.
 *
 * There are two sources: the counters of the process at its ticks; and, if it made too few ticks,
 * its resident size, which `tare run` reads from outside ten times a second. If a program never
 * calls malloc, only the second shows its growth.
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

#define LATE 3 /* the last parts, which must rise together: one part alone may be a flat place of stairs */

/* Something that may rise, and the rise that counts. */
struct quantity {
    enum quantity_id id;                         /* its name in the finding */
    uint64_t (*read)(const struct point *point); /* returns its bytes at a point */
    uint64_t least;                              /* a smaller rise, in bytes, does not count */
    double share;  /* a rise below this share of the resident size does not count */
    bool resident; /* it is the resident size, which can be read from outside too */
};

#define QUANTITIES 3

static void list_quantities(struct quantity out[QUANTITIES])
{
    out[0] = (struct quantity){QUANTITY_LIVE, live_at, RULE_CLOSED_LIVE, RULE_CLOSED_SHARE, false};
    out[1] = (struct quantity){QUANTITY_ARENAS, arenas_at, RULE_CLOSED_LIVE, RULE_CLOSED_SHARE, false};
    out[2] = (struct quantity){QUANTITY_RESIDENT, resident_at, RULE_GAP_BYTES, RULE_CLOSED_RESIDENT, true};
}

/* One quantity over the run. */
struct track {
    struct reading {
        uint64_t at;    /* tick, or time in ns if `outside` */
        uint64_t value; /* bytes */
    } *readings;         /* owned by the scratch arena; NULL: none */
    size_t count;        /* number of readings */
    uint64_t begin, end; /* first and last tick, or time, that is judged */
    bool outside;        /* readings are of the resident size, by time, from `tare run` */
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

/* The time at which the judged phase begins. What the process loads before its first tick is not
 * growth. */
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

/* `tare run` reads the size of the process that it started, and of no other. */
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

/* The part of a quantity that lasts. parts[i] is the smallest value from the end of eighth i of
 * the last three quarters to the end of the run; parts[0] is for their beginning. So the values
 * never fall, and memory that is allocated and released again does not count. False: too few
 * readings. */
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

/* Twice the smaller of the rises of the two halves: memory that the program will release soon
 * rises in the second half only. 0 if fewer than RULE_CLOSED_STAIRS parts rise, or if the rise
 * has almost stopped. */
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

/* The runtime frees garbage later, and fewer than RULE_CLOSED_STAIRS collections came during the
 * rise. */
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

/* No account is needed: the verdict is not clean anyway, or what rises may be garbage. */
static bool is_settled(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!visit->findings[i].note && visit->findings[i].kind >= KIND_undecided)
            return true;
    return may_be_garbage(visit);
}

/* A finding that is not a leak explains this rise. Free memory that an allocator keeps explains
 * arenas and resident size. Garbage, and a container below its declared limit, explain all three
 * if their rate is large enough. `rate`: of the rise, in the unit of findings. */
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

/* Bytes per unit of the clock: per tick, or per second. */
static double rate_of(const struct visit *visit, const struct track *track, uint64_t rise)
{
    const double seen = (double)(track->end - track->begin) * 0.75;

    if (!track->outside)
        return (double)rise / seen * clock_scale(&visit->clock);
    return (double)rise / (seen / 1e9) * (visit->clock.id == CLOCK_time ? 1 : visit->clock.seconds);
}

/* How long the rise took. */
struct span {
    uint64_t length;     /* number of units */
    enum span_unit unit; /* ticks, nanoseconds or returns */
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

static uint64_t live_of(const struct step_record *step)
{
    return step->live_min;
}

static uint64_t tensors_of(const struct step_record *step)
{
    return step->gauges[GAUGE_tensor_bytes];
}

/* The largest fall of live bytes, or of tensors as their framework counts them, from one step record to a
 * later one, from this ordinal to the end of the series. What fell was garbage. */
static uint64_t deepest_fall(const struct visit *visit, uint64_t from,
                             uint64_t (*bytes_of)(const struct step_record *))
{
    const struct model *model = visit->model;
    uint64_t most = 0, fall = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];

        if (step->last < from || step->last > visit->series.ordinals)
            continue;
        most = bytes_of(step) > most ? bytes_of(step) : most;
        fall = most - bytes_of(step) > fall ? most - bytes_of(step) : fall;
    }
    return fall;
}

/* The runtime frees garbage later, and the rise is smaller than a fall in the same period: it
 * may be garbage. */
static bool is_within_garbage(const struct visit *visit, uint64_t rise)
{
    const struct series *series = &visit->series;
    const size_t begin = series_after(series, series->ticks / 4);
    const uint64_t from = begin < series->count ? series->points[begin].ordinal : UINT64_MAX;

    return visit->runtime->frees_later && begin < series->count &&
           (rise < deepest_fall(visit, from, live_of) || rise < deepest_fall(visit, from, tensors_of));
}

static bool matters(const struct visit *visit, const struct quantity *quantity, uint64_t rise)
{
    const double resident = visit_resident(visit);

    return rise >= quantity->least && (double)rise >= quantity->share * resident &&
           !is_within_garbage(visit, rise) &&
           !(quantity->resident &&
             resident_is_files(visit->model, visit->run, &visit->series, rise));
}

/* ---- a phase that returns: training, evaluation, training, ... ---- */

/* The smallest live memory of each return, from the end of the stretch before it to its own end,
 * and of the time after the last one. What a return releases before the next one begins is in
 * none of these minima. Returns how many there are. */
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

/* How many bytes the returns left in total; 0 if one of them left much less than the others. The
 * first return is not counted: it may have set something up. */
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

/* Reports the first quantity that rises without an explanation. True if there is one. */
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
