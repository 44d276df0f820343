/* culprits.c - see culprits.h. */
#include "doctor/detect/culprits.h"

#include <math.h>
#include <string.h>

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/device_pool.h"
#include "doctor/detect/gc_lag.h"
#include "doctor/detect/growth.h"
#include "doctor/detect/mapped.h"
#include "doctor/detect/reconcile.h"
#include "doctor/detect/tensor_advice.h"
#include "doctor/held/owners.h"
#include "doctor/measure/late_deaths.h"
#include "doctor/source/places.h"
#include "ledger/site_kind.h"

#define MEMBERS_MAX  32 /* sites of one class that are kept separate */
#define CULPRITS_MAX (SERIES_COLUMNS * MEMBERS_MAX)

/* A site whose blocks survive. */
struct culprit {
    struct cohort cohort;       /* its surviving blocks and their rate */
    const struct place *places; /* the places of its stack, innermost first; NULL: not known */
    size_t place_count;         /* number of places */
    bool waits;     /* garbage that waits for the collector: a collection freed most of its blocks */
    bool taken;     /* it is part of a finding */
    size_t finding; /* number of that finding in the visit, from 1; 0: none */
};

/* The numbers from which the facts of a finding are made, when its rate is final. */
struct basis {
    struct facts_of_growth facts; /* counts of its cohorts, added up */
    uint32_t site;                /* its main site, index into model->sites */
};

/* All culprits of a process. */
struct culprits {
    struct culprit *items;  /* owned by the scratch arena */
    size_t count;           /* number of culprits */
    struct reconcile whole; /* the growth of the process, and what of it is explained */
    struct basis *bases;    /* bases[i] belongs to finding i of the visit; in the scratch arena */
};

void culprits_try(struct visit *visit)
{
    struct outcome *outcomes = visit->outcomes;

    for (size_t i = 0; i < visit->suspect_count; i++) {
        struct suspect *suspect = &visit->suspects[i];
        struct outcome *outcome = &outcomes[suspect->column];
        struct cohort cohort;

        if (outcome->suspected && outcome->best.state == COHORT_GROWING)
            continue;
        suspect->slowed = outcome->suspected && (outcome->best.state == COHORT_SLOWING ||
                                                 outcome->best.state == COHORT_STOPPED);
        cohort_judge(&cohort, visit->model, &visit->series, suspect,
                     visit_lives(visit, suspect->column));
        if (suspect->column == SERIES_OBJECTS && cohort.state == COHORT_GROWING &&
            !collected_since(visit->model, &visit->series, (cohort.first + cohort.last) / 2))
            cohort.state = COHORT_SHORT; /* no collection examined these objects: they may be garbage */
        if (outcome->suspected && cohort.state <= outcome->best.state)
            continue;
        *outcome = (struct outcome){true, cohort, suspect};
    }
}

/* ---- collecting ---- */

static void add(struct culprits *culprits, struct visit *visit, const struct cohort *cohort)
{
    const double stays = 1 - reconcile_waiting(visit, cohort);
    struct culprit *one = &culprits->items[culprits->count];
    struct collected collected;

    if (attribute_loading(visit, cohort->site))
        return;
    culprits->count++;
    one->cohort = *cohort;
    one->cohort.rate.estimate *= stays;
    one->cohort.rate.low *= stays;
    one->cohort.rate.high *= stays;
    collected_of(&collected, visit->model, cohort->site);
    one->waits = collected_lag(&collected);
    if (visit->places)
        places_of(visit->places, visit->model->sites[cohort->site].stack, &one->places,
                  &one->place_count);
}

static void add_members(struct culprits *culprits, struct visit *visit,
                        const struct outcome *outcome)
{
    struct cohort members[MEMBERS_MAX];
    const size_t count =
        outcome->best.pooled
            ? 0
            : cohort_members(members, MEMBERS_MAX, visit->model, &visit->series, outcome->suspect,
                             visit_lives(visit, outcome->best.column));

    for (size_t i = 0; i < count; i++)
        add(culprits, visit, &members[i]);
    if (count == 0)
        add(culprits, visit, &outcome->best);
}

/* 0: the host's memory; else the number of the device + 1. */
static unsigned memory_of(const struct visit *visit, const struct culprit *culprit)
{
    const struct model_site *site = &visit->model->sites[culprit->cohort.site];

    return site_is_device(site->kind) ? site->class_index + 1 : 0;
}

/* Both are allocated at the same line, or by the same stack if lines are not known. Garbage that waits
 * for the collector is not joined with blocks that stay, nor memory of a device with the host's. */
static bool same_line(const struct visit *visit, const struct culprit *left,
                      const struct culprit *right)
{
    const struct place *a = left->places, *b = right->places;

    if (left->waits != right->waits || memory_of(visit, left) != memory_of(visit, right))
        return false;
    if (left->place_count > 0 && right->place_count > 0 && a->line && b->line)
        return place_same_line(a, b);
    return visit->model->sites[left->cohort.site].stack ==
           visit->model->sites[right->cohort.site].stack;
}

/* ---- one finding ---- */

/* On a device a sample stands for as many blocks of its own size as came beside it. */
static uint64_t blocks_on_device(const struct model *model, uint32_t site)
{
    double blocks = 0;

    for (size_t i = 0; i < model->block_count; i++)
        if (model->blocks[i].site == site + 1 && model->blocks[i].size > 0)
            blocks += (double)model->blocks[i].weight / (double)model->blocks[i].size;
    return (uint64_t)(blocks + 0.5);
}

/* The site is the cohort's, or of the same stack if all size classes were judged as one. */
static bool is_of_cohort(const struct model *model, const struct cohort *cohort, uint32_t site)
{
    const struct model_site *one = &model->sites[site], *other = &model->sites[cohort->site];

    return series_joins(cohort->column) ? one->kind == other->kind && one->stack == other->stack
                                        : site == cohort->site;
}

/* Blocks that the program released after its last tick were alive then. */
static void add_released_late(struct finding *out, const struct visit *visit,
                              const struct cohort *cohort)
{
    const struct model *model = visit->model;

    for (size_t i = late_deaths_from(model, visit->clock.id); i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        if (death->site == 0 || death->site > model->site_count ||
            !is_of_cohort(model, cohort, death->site - 1))
            continue;
        out->live_bytes += (uint64_t)late_death_bytes(model, death);
        out->live_blocks += (uint64_t)(late_death_blocks(model, death) + 0.5);
    }
}

/* Adds the cohort's live blocks. */
static void add_live(struct finding *out, const struct visit *visit, const struct cohort *cohort)
{
    const struct model *model = visit->model;

    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];

        if (!is_of_cohort(model, cohort, i))
            continue;
        out->live_bytes += site->live_weight;
        if (site_is_device(site->kind))
            out->live_blocks += blocks_on_device(model, i);
        else if (site->born_weight > 0)
            out->live_blocks += (uint64_t)((double)site->live_weight * (double)site->births /
                                               (double)site->born_weight +
                                           0.5);
    }
    add_released_late(out, visit, cohort);
}

static void add_numbers(struct finding *out, struct facts_of_growth *facts,
                        const struct visit *visit, const struct cohort *cohort)
{
    const double scale = clock_scale(&visit->clock);

    out->rate.estimate += cohort->rate.estimate * scale;
    out->rate.low += cohort->rate.low * scale;
    out->rate.high += cohort->rate.high * scale;
    add_live(out, visit, cohort);
    out->since = out->since && out->since < cohort->since ? out->since : cohort->since;
    facts->alive += cohort->alive;
    facts->released += cohort->released;
    facts->first = facts->first && facts->first < cohort->first ? facts->first : cohort->first;
    facts->last = facts->last > cohort->last ? facts->last : cohort->last;
    facts->until = facts->until > cohort->until ? facts->until : cohort->until;
    facts->certain &= cohort->certain;
    facts->map |= cohort->column == SERIES_MAPS;
}

/* `searched`: the one of the finding's sites whose holders were searched for. */
static void set_kind(struct finding *out, struct facts_of_growth *facts, const struct visit *visit,
                     const struct cohort *main, uint32_t searched)
{
    const double old = (double)(main->old_alive + main->old_released);
    bool lost, held;

    if (mapped_is_left(visit->model, main->site)) {
        facts->reach = REACH_HELD; /* the name of the shared memory holds it */
        out->kind = KIND_retained;
        out->left = out->evicted_nothing = true;
        out->confidence = 1 - fmin(0.1, fmax(main->tail, RULE_TAIL));
        out->holder = FACT_OF(by_name, 0);
        advise(out, mapped_remedy(visit->model, main->site));
        return;
    }
    facts->reach =
        reach_of(out, visit->model, searched, main->events, visit->places, visit->arena);
    collected_of(&facts->collected, visit->model, main->site);
    /* The addresses of small objects may belong to other objects by now, so they do not count as
     * lost. */
    lost = facts->reach == REACH_LOST && main->column != SERIES_OBJECTS;
    /* A search found these blocks held from a root. They were not garbage, even if they are at
     * the end. */
    held = owners_certain(out->holder_path, out->holder_count, out->holder_growing);
    out->kind = collected_lag(&facts->collected) && !held           ? KIND_gc_lag
                : visit->runtime->unproven(&facts->collected, visit, main) && !held ? KIND_undecided
                : lost                                               ? KIND_native
                                                                     : KIND_retained;
    out->evicted_nothing = !lost && (double)main->old_released <= RULE_EVICTED * old;
    out->confidence = 1 - fmin(0.1, fmax(main->tail, RULE_TAIL));
    if (out->kind == KIND_gc_lag || out->kind == KIND_undecided) {
        out->evicted_nothing = false;
        out->held_by = NULL;
        out->unsearched_why = 0;
        out->holder_count = 0;
        out->more_steps = out->kind == KIND_undecided ? visit->series.ticks : 0;
        out->confidence = out->kind == KIND_undecided ? 0.5 : out->confidence;
        out->endless = out->kind == KIND_gc_lag && lag_is_endless(visit);
        advise(out, out->kind == KIND_undecided ? REMEDY_longer
                    : out->endless              ? REMEDY_collector_off
                                                : visit->runtime->lag_remedy);
        return;
    }
    if (site_is_tensor(visit->model->sites[main->site].kind)) {
        advise(out, tensor_advice(out, visit->model, main->site));
        return;
    }
    advise(out, facts->map ? mapped_remedy(visit->model, main->site)
                : lost     ? REMEDY_release_lost
                           : REMEDY_release);
}

/* Fills the finding's table: of the sampled blocks born in each eighth of the run, how many are
 * alive. */
static void set_survival(struct finding *out, struct visit *visit, const struct cohort *main)
{
    struct survival *table = arena_take(visit->arena, RULE_SEGMENTS, sizeof(*table));
    const struct lives *lives = visit_lives(visit, main->column);
    const uint64_t n = visit->series.ticks;

    if (!table)
        return;
    for (unsigned i = 0; i < RULE_SEGMENTS; i++) {
        table[i].first = n * i / RULE_SEGMENTS + 1;
        table[i].last = n * (i + 1) / RULE_SEGMENTS;
    }
    for (size_t i = 0; i < lives->count; i++) {
        const struct life *life = &lives->items[i];
        uint64_t part;

        if ((life->site != main->site && !main->pooled) || life->birth == 0 || life->birth > n)
            continue;
        for (part = 0; table[part].last < life->birth;)
            part++;
        table[part].born++;
        table[part].alive += !life->death;
    }
    out->survival = table;
    out->survival_count = RULE_SEGMENTS;
}

/* Returns `other` if a search examined its blocks and it grows faster than `best`, else `best`. */
static const struct culprit *better_searched(const struct visit *visit, const struct culprit *best,
                                             const struct culprit *other)
{
    if (!reach_record(visit->model, other->cohort.site))
        return best;
    return !best || other->cohort.rate.estimate > best->cohort.rate.estimate ? other : best;
}

static void report_line(struct visit *visit, struct culprits *culprits, size_t first)
{
    struct facts_of_growth facts = {.certain = true};
    struct culprit *main = &culprits->items[first];
    const struct culprit *searched = NULL;
    struct finding one = {.id = 0};
    struct finding *out;

    for (size_t i = first; i < culprits->count; i++) {
        struct culprit *other = &culprits->items[i];

        if (other->taken || !same_line(visit, &culprits->items[first], other))
            continue;
        other->taken = true;
        other->finding = visit->finding_count + 1;
        add_numbers(&one, &facts, visit, &other->cohort);
        searched = better_searched(visit, searched, other);
        if (other->cohort.rate.estimate > main->cohort.rate.estimate)
            main = other;
    }
    out = visit_add(visit);
    if (!out)
        return;
    *out = one;
    out->site = main->cohort.site + 1;
    out->memory = memory_of(visit, main) ? MEMORY_DEVICE : MEMORY_HOST;
    out->device = out->memory == MEMORY_DEVICE ? memory_of(visit, main) - 1 : 0;
    out->allocated_at = main->places;
    out->allocated_count = main->place_count;
    if (!main->waits && out->memory == MEMORY_HOST)
        reconcile_line(&culprits->whole, out, visit, main->places, main->place_count);
    set_kind(out, &facts, visit, &main->cohort,
             reach_searched_site(visit, searched ? searched->cohort.site : main->cohort.site,
                           main->place_count ? main->places : NULL));
    set_survival(out, visit, &main->cohort);
    culprits->bases[visit->finding_count - 1] = (struct basis){facts, main->cohort.site};
}

static void add_all_facts(struct visit *visit, const struct culprits *culprits)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *out = &visit->findings[i];

        growth_facts(out, visit, &culprits->bases[i].facts);
        attribute_pool(out, visit, culprits->bases[i].site);
        if (out->kind == KIND_gc_lag)
            device_pool_lag(out, visit);
    }
}

static double bytes_of(const struct culprits *culprits, size_t from)
{
    double bytes = 0;

    for (size_t i = from; i < culprits->count; i++)
        bytes += culprits->items[i].cohort.rate.estimate;
    return bytes;
}

/* The block holds the data of these tensors: the framework allocated it asynchronously, without
 * a line of the user on the stack, and both grow at about the same rate. */
static bool is_data_of(const struct culprit *block, const struct culprit *tensor)
{
    const double rate = block->cohort.rate.estimate, other = tensor->cohort.rate.estimate;

    return block->place_count > 0 && !block->places[0].user &&
           block->places[0].language == LANGUAGE_JAVASCRIPT && rate < 2 * other &&
           other < 2 * rate;
}

/* A tensor whose data lie in the heap is found twice, as a tensor and as a block; the tensor says
 * more. The block's line may be deeper, where the framework copies: the process's own lines decide. */
static void add_tensors(struct culprits *culprits, struct visit *visit,
                        const struct outcome *outcome)
{
    const size_t heap = culprits->count;
    size_t kept = 0;

    if (!outcome->suspected || outcome->best.state != COHORT_GROWING)
        return;
    add_members(culprits, visit, outcome);
    for (size_t i = 0; i < culprits->count; i++) {
        bool twice = i < heap && device_pool_record(visit, culprits->items[i].cohort.site);

        for (size_t j = heap; i < heap && j < culprits->count && !twice; j++)
            twice = same_line(visit, &culprits->items[i], &culprits->items[j]) ||
                    is_data_of(&culprits->items[i], &culprits->items[j]);
        if (!twice)
            culprits->items[kept++] = culprits->items[i];
    }
    culprits->count = kept;
}

/* Size class by size class; where blocks of one line are of many sizes, no class may say much, and
 * all classes together say it instead. */
static void collect(struct culprits *culprits, struct visit *visit,
                    const struct outcome outcomes[SERIES_COLUMNS])
{
    static const unsigned apart[] = {SERIES_MAPS, SERIES_OBJECTS, SERIES_DEVICE}; /* not of the heap */
    const struct outcome *all = &outcomes[SERIES_TOTAL];
    size_t heap;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        if (outcomes[c].suspected && outcomes[c].best.state == COHORT_GROWING)
            add_members(culprits, visit, &outcomes[c]);
    heap = culprits->count;
    if (all->suspected && all->best.state == COHORT_GROWING) {
        add_members(culprits, visit, all);
        if (bytes_of(culprits, 0) - bytes_of(culprits, heap) <
            RULE_COVERED * bytes_of(culprits, heap)) {
            memmove(culprits->items, culprits->items + heap,
                    (culprits->count - heap) * sizeof(*culprits->items));
            culprits->count -= heap;
        } else {
            culprits->count = heap;
        }
    }
    for (unsigned i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
        if (outcomes[apart[i]].suspected && outcomes[apart[i]].best.state == COHORT_GROWING)
            add_members(culprits, visit, &outcomes[apart[i]]);
    add_tensors(culprits, visit, &outcomes[SERIES_TENSORS]);
}

/* The finding that this culprit is part of; NULL: there were too many. */
static struct finding *finding_of(struct visit *visit, const struct culprit *culprit)
{
    return culprit->finding > 0 && culprit->finding <= visit->finding_count
               ? &visit->findings[culprit->finding - 1]
               : NULL;
}

/* Of the host's memory: of the heap, or of what is not of the heap. */
static double growth_of(const struct culprits *culprits, const struct model *model, bool heap)
{
    double bytes = 0;

    for (size_t i = 0; i < culprits->count; i++) {
        const uint32_t kind = model->sites[culprits->items[i].cohort.site].kind;

        if (site_is_in_heap(kind) == heap && !site_is_device(kind))
            bytes += culprits->items[i].cohort.rate.estimate;
    }
    return bytes;
}

bool detect_cohort_applies(const struct visit *visit)
{
    return visit->suspect_count > 0;
}

/* Makes one finding for each line whose blocks survive. Culprits without a finding count as
 * growth too. */
void detect_cohort(struct visit *visit)
{
    struct culprits culprits = {
        .items = arena_take(visit->scratch, CULPRITS_MAX, sizeof(*culprits.items)),
        .bases = arena_take(visit->scratch, VISIT_FINDINGS_MAX, sizeof(*culprits.bases))};

    if (!culprits.items || !culprits.bases)
        return;
    collect(&culprits, visit, visit->outcomes);
    culprits.whole.growth = series_growth(&visit->series);
    culprits.whole.maps = growth_of(&culprits, visit->model, false);
    culprits.whole.unreported = culprits.whole.growth - growth_of(&culprits, visit->model, true);
    for (size_t i = 0; i < culprits.count; i++)
        if (!culprits.items[i].taken)
            report_line(visit, &culprits, i);
    reconcile_all(&culprits.whole, visit);
    add_all_facts(visit, &culprits);
    for (size_t i = 0; i < culprits.count; i++) {
        const struct culprit *one = &culprits.items[i];
        struct finding *finding = finding_of(visit, one);

        if (finding && one->waits)
            continue; /* the collector will free it */
        stats_add(visit_growth_of(visit, one->cohort.site), one->cohort.rate);
        if (finding)
            stats_add(&finding->counted, one->cohort.rate);
    }
    visit->growth.estimate += culprits.whole.beside;
    /* A correction downwards does not lower the bound. */
    visit->growth.high += fmax(0, culprits.whole.beside);
    visit->growth = stats_in_order(visit->growth);
    for (unsigned i = 0; i < LEDGER_DEVICES; i++)
        visit->device_growth[i] = stats_in_order(visit->device_growth[i]);
}
