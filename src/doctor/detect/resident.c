/* resident.c - see resident.h. */
#include "doctor/detect/resident.h"

#include <math.h>

#include "base/text.h"
#include "doctor/detect/detect.h"
#include "doctor/facts/stats.h"
#include "doctor/measure/collected.h"

/* Resident bytes of one point that are neither live in the heap nor mapped by the program. */
static uint64_t gap_at(const struct point *point)
{
    const uint64_t explained = point->live_min + point->mapped + point->arenas;

    return point->resident > explained ? point->resident - explained : 0;
}

/* The smallest gap and live size of each eighth of the last four fifths, so that short peaks do
 * not count. */
static bool gaps(const struct series *series, uint64_t from, uint64_t gap[RULE_SEGMENTS],
                 uint64_t live[RULE_SEGMENTS])
{
    const uint64_t width = (series->ticks - from) / RULE_SEGMENTS;

    for (unsigned i = 0; i < RULE_SEGMENTS; i++) {
        const uint64_t begin = series->ticks - (RULE_SEGMENTS - i) * width;

        gap[i] = live[i] = UINT64_MAX;
        for (size_t k = series_after(series, begin); k < series->count; k++) {
            const struct point *point = &series->points[k];

            if (point->tick > begin + width)
                break;
            gap[i] = gap_at(point) < gap[i] ? gap_at(point) : gap[i];
            live[i] = point->live_min < live[i] ? point->live_min : live[i];
        }
        if (gap[i] == UINT64_MAX)
            return false;
    }
    return width > 0;
}

static void read_trims(struct resident *out, const struct model *model)
{
    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *record = &model->interventions[i];

        if (record->kind != INTERVENTION_TRIM)
            continue;
        out->trimmed = true;
        if (record->resident_before > record->resident_after &&
            record->resident_before - record->resident_after > out->returned)
            out->returned = record->resident_before - record->resident_after;
    }
}

static const struct account_record *account_of(const struct model *model, const struct run *run)
{
    const struct model *own = run ? run->own : NULL;

    for (size_t i = own ? own->account_count : 0; i-- > 0;)
        if (own->accounts[i].pid == model->head.pid &&
            own->accounts[i].generation == model->head.generation)
            return &own->accounts[i];
    return NULL;
}

/* Resident bytes of the mappings that the probe knows. If their pages were not counted, their
 * length. */
static uint64_t seen_mappings(const struct model *model)
{
    uint64_t bytes = model->totals.reserved_bytes;

    for (size_t i = 0; i < model->map_count; i++) {
        const struct map_record *map = &model->maps[i];
        const bool counted = map->kind == SITE_MAP && map->unit > 0;

        if (map->start < MAP_LEFT && map->kind != SITE_SHARED)
            bytes += counted && map->resident < map->length ? map->resident : map->length;
    }
    return bytes;
}

uint64_t resident_unseen(const struct model *model)
{
    for (size_t i = model->resident_count; i-- > 0;) {
        const struct resident_record *record = &model->residents[i];
        const uint64_t seen = record->state == HOLDER_DONE ? seen_mappings(model) : 0;

        if (record->state == HOLDER_DONE)
            return record->mapped > seen ? record->mapped - seen : 0;
    }
    return 0;
}

/* Resident bytes at the last point that nothing explains. Without an account, what was resident
 * at the first point counts as explained: program, libraries and stacks. */
static uint64_t held_now(const struct model *model, const struct account_record *account,
                         const struct series *series)
{
    static const struct point none; /* for a run without points */
    const struct point *first = series->count ? &series->points[0] : &none;
    const struct point *last = series->count ? &series->points[series->count - 1] : &none;
    const uint64_t before = gap_at(first) + resident_unseen(model), now = gap_at(last);
    const uint64_t known = last->live_min + last->mapped + last->arenas + model->totals.probe_bytes +
                           resident_unseen(model);

    if (account)
        return account->anonymous > known ? account->anonymous - known : 0;
    return now > before ? now - before : 0;
}

/* The rise is pages of files. If pages were counted by kind, free memory that the heap keeps
 * must be among the anonymous ones, unless a trim returned it; here less than half of the rise
 * is. */
static bool is_of_files(const struct resident *resident, const struct account_record *account)
{
    return account && 2 * (resident->held + resident->returned) < resident->held_rose;
}

/* The rise belongs to an allocator whose blocks tare cannot count. */
static bool is_unseen(const struct model *model, uint64_t rise)
{
    return resident_unseen(model) >= rise / 2;
}

static bool still_grows(const uint64_t gap[RULE_SEGMENTS])
{
    const uint64_t middle = gap[RULE_SEGMENTS / 2], last = gap[RULE_SEGMENTS - 1];
    unsigned rises = 0;

    for (unsigned i = 0; i + 1 < RULE_SEGMENTS; i++)
        rises += gap[i + 1] > gap[i];
    return rises >= RULE_RISES_NEEDED - 1 && last > middle;
}

/* Half of the rise was gone when pages were counted at the end. No block or mapping explains it,
 * so a file was mapped and then unmapped when its function returned. */
static bool went_before(const struct account_record *account, const struct series *series, uint64_t rise)
{
    const uint64_t last = series->count > 0 ? series->points[series->count - 1].resident : 0;

    return account->resident + rise / 2 < last;
}

bool resident_is_files(const struct model *model, const struct run *run, const struct series *series,
                       uint64_t rise)
{
    const struct account_record *account = account_of(model, run);
    struct resident resident = {.held_rose = rise};

    if (account && went_before(account, series, rise))
        return true;
    if (account && account->file < rise / 2) /* too few pages of files */
        return false;
    read_trims(&resident, model);
    resident.held = held_now(model, account, series) + resident_unseen(model);
    return is_of_files(&resident, account);
}

void resident_judge(struct resident *out, const struct model *model, const struct run *run,
                    const struct series *series)
{
    const uint64_t from = series->ticks / 5, last = RULE_SEGMENTS - 1;
    const struct account_record *account = account_of(model, run);
    uint64_t gap[RULE_SEGMENTS], live[RULE_SEGMENTS], growth;

    *out = (struct resident){.state = RESIDENT_FOLLOWS, .first = from + 1, .last = series->ticks};
    if (series->count == 0 || series->points[series->count - 1].resident == 0)
        return;
    /* The probe does not see the mappings of the JavaScript heap and of WebAssembly. Resident
     * bytes beside the blocks are theirs, and may be in use. */
    if (runtime_of(model)->own_heap)
        return;
    read_trims(out, model);
    out->held = held_now(model, account, series);
    if (series->ticks >= series->first_look && gaps(series, from, gap, live)) {
        out->held_rose = gap[last] > gap[0] ? gap[last] - gap[0] : 0;
        out->live_rose = (int64_t)(live[last] - live[0]);
        growth = out->live_rose > 0 ? (uint64_t)out->live_rose : 0;
        if (out->held_rose >= RULE_GAP_BYTES && out->held_rose >= RULE_GAP_GROWTH * growth &&
            still_grows(gap) && !is_of_files(out, account) && !is_unseen(model, out->held_rose))
            out->state = RESIDENT_GROWS;
    }
    if (out->state == RESIDENT_FOLLOWS && out->held >= RULE_RETAINED_BYTES &&
        (double)out->held >=
            RULE_RETAINED_SHARE * (double)series->points[series->count - 1].resident)
        out->state = RESIDENT_RETAINED;
}

double resident_rate(const struct series *series)
{
    double x[STATS_POINTS], y[STATS_POINTS];
    const size_t begin = series_after(series, series->ticks / 5);
    const size_t points = series->count - begin;
    const size_t step = points / STATS_POINTS + 1;
    size_t count = 0;

    for (size_t i = begin; i < series->count && count < STATS_POINTS; i += step) {
        if (series->points[i].resident == 0)
            continue;
        x[count] = (double)series->points[i].tick;
        y[count++] = (double)series->points[i].resident;
    }
    return stats_theil_sen(x, y, count).estimate;
}

struct fact resident_fact(const struct visit *visit)
{
    const double rate = resident_rate(&visit->series);

    return (struct fact){.id = rate >= RULE_NOTE_RATE ? FACT_resident_rose : FACT_none, .rate = rate};
}

/* ---- the finding ---- */

/* For free memory that this allocator keeps. `pinned`: a trim did not return it. */
static enum remedy_name allocator_advice(const char *allocator, uint64_t threads, bool pinned)
{
    if (text_has(allocator, "jemalloc"))
        return REMEDY_jemalloc;
    if (text_has(allocator, "tcmalloc"))
        return REMEDY_tcmalloc;
    if (text_has(allocator, "mimalloc"))
        return REMEDY_mimalloc;
    if (threads >= RULE_MANY_THREADS)
        return REMEDY_glibc_arenas;
    return pinned ? REMEDY_glibc_pinned : REMEDY_glibc_trim;
}

static void add_resident_facts(struct finding *out, const struct resident *resident)
{
    const uint64_t live = (uint64_t)fabs((double)resident->live_rose);

    if (resident->state == RESIDENT_GROWS) {
        out->headline = FACT_OF(resident_grew, resident->held_rose, live, resident->live_rose < 0);
        fact_add(out, FACT_OF(grew_between, resident->first, resident->last));
    } else {
        out->headline = FACT_OF(allocator_keeps, resident->held);
        fact_add(out, FACT_OF(live_flat, 0));
    }
    fact_add(out, resident->trimmed ? FACT_OF(trimmed, resident->returned) : FACT_OF(not_trimmed, 0));
}

bool detect_resident_applies(const struct visit *visit)
{
    return visit->series.count > 0;
}

void detect_resident(struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t threads = model->totals.threads_started;
    struct resident resident;
    struct finding *out;
    bool pinned;

    resident_judge(&resident, model, visit->run, &visit->series);
    if (resident.state == RESIDENT_FOLLOWS || !(out = visit_add(visit)))
        return;
    pinned =
        resident.trimmed && (double)resident.returned < RULE_TRIM_SHARE * (double)resident.held;
    /* Many threads have arenas of their own, each of which keeps what it has freed. With few, what
     * a trim cannot return is pinned by what lives beside it. */
    out->kind = threads < RULE_MANY_THREADS && (resident.state == RESIDENT_GROWS || pinned)
                    ? KIND_fragmentation
                    : KIND_framework_cache;
    out->confidence = resident.trimmed ? 0.95 : 0.8;
    out->live_bytes = resident.held;
    out->since = resident.first;
    advise(out, allocator_advice(model->allocator, threads, pinned));
    add_resident_facts(out, &resident);
}
