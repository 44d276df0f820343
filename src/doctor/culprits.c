/* culprits.c - see culprits.h. */
#include "doctor/culprits.h"

#include <math.h>
#include <string.h>

#include "doctor/device_work.h"
#include "doctor/evidence.h"
#include "doctor/owners.h"
#include "doctor/imports.h"
#include "doctor/lag.h"
#include "doctor/mapped.h"
#include "doctor/places.h"
#include "doctor/pools.h"
#include "doctor/remedies.h"
#include "doctor/remedies_tensors.h"
#include "doctor/searched.h"
#include "doctor/waiting.h"
#include "doctor/whole.h"

#define MEMBERS_MAX  32 /* sites of one class that are told apart */
#define CULPRITS_MAX (SERIES_COLUMNS * MEMBERS_MAX)
#define SURE_AT_MOST 0.95 /* while a bounded store cannot be excluded */

struct culprit {
    struct cohort cohort;
    const struct place *places;
    size_t place_count;
    bool waits; /* for the collector: most of its blocks died with one */
    bool taken; /* into a finding */
    size_t told; /* number of that finding in the visit, from 1; 0: none */
};

/* What the sentences of a finding rest on; they are made when its rate is settled. */
struct basis {
    struct facts_of_growth facts;
    uint32_t site;
};

struct culprits {
    struct culprit *items; /* owned by the arena, as are the bases */
    size_t count;
    struct whole whole;
    struct basis *bases; /* beside the visit's findings */
};

void culprits_try(struct outcome outcomes[SERIES_COLUMNS], struct visit *visit)
{
    memset(outcomes, 0, SERIES_COLUMNS * sizeof(*outcomes));
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
            cohort.state = COHORT_SHORT; /* garbage, perhaps */
        if (outcome->suspected && cohort.state <= outcome->best.state)
            continue;
        *outcome = (struct outcome){true, cohort, suspect};
    }
}

/* ---- collecting ---- */

bool culprits_loading(const struct visit *visit, uint32_t site)
{
    return visit->clock.id == CLOCK_time && imports_made(visit->model, site);
}

static void add(struct culprits *culprits, struct visit *visit, const struct cohort *cohort)
{
    const double stays = 1 - waiting_share(visit, cohort);
    struct culprit *one = &culprits->items[culprits->count];
    struct collected collected;

    if (culprits_loading(visit, cohort->site))
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

static bool same_text(const char *left, const char *right)
{
    return left && right && strcmp(left, right) == 0;
}

/* Blocks made at the same line, or, where lines are not known, by the same stack. What waits for the
 * collector is not told with what stays. */
static bool same_line(const struct visit *visit, const struct culprit *left,
                      const struct culprit *right)
{
    const struct place *a = left->places, *b = right->places;

    if (left->waits != right->waits)
        return false;
    if (left->place_count > 0 && right->place_count > 0 && a->line && b->line)
        return a->line == b->line && same_text(a->file, b->file);
    return visit->model->sites[left->cohort.site].stack ==
           visit->model->sites[right->cohort.site].stack;
}

/* ---- one finding ---- */

/* What is alive of a cohort's site; of a whole stack where all size classes were judged as one. */
static void add_live(struct finding *out, const struct model *model, const struct cohort *cohort)
{
    const bool whole = series_joins(cohort->column);

    for (size_t i = whole ? 0 : cohort->site; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];

        if (site->kind != model->sites[cohort->site].kind ||
            site->stack != model->sites[cohort->site].stack)
            continue;
        out->live_bytes += site->live_weight;
        if (site->born_weight > 0)
            out->live_blocks += (uint64_t)((double)site->live_weight * (double)site->births /
                                               (double)site->born_weight +
                                           0.5);
        if (!whole)
            break;
    }
}

static void add_numbers(struct finding *out, struct facts_of_growth *facts,
                        const struct visit *visit, const struct cohort *cohort)
{
    const double scale = clock_scale(&visit->clock);

    out->rate.estimate += cohort->rate.estimate * scale;
    out->rate.low += cohort->rate.low * scale;
    out->rate.high += cohort->rate.high * scale;
    add_live(out, visit->model, cohort);
    out->since = out->since && out->since < cohort->since ? out->since : cohort->since;
    facts->alive += cohort->alive;
    facts->released += cohort->released;
    facts->first = facts->first && facts->first < cohort->first ? facts->first : cohort->first;
    facts->last = facts->last > cohort->last ? facts->last : cohort->last;
    facts->certain &= cohort->certain;
    facts->map |= cohort->column == SERIES_MAPS;
}

/* Nothing but the program's own end has shown whether they were held; in JavaScript, where garbage stays for
 * as long as the engine likes, nothing at all, or a collection that met what had been set up alone. */
static bool not_known(const struct collected *collected, const struct visit *visit,
                      const struct cohort *cohort)
{
    if (collected->script && (collected->released + collected->alive == 0 ||
                              (collected->made > 0 && !collected->late &&
                               collected_left(collected, visit->model, &visit->series, cohort->site,
                                              cohort->first / RULE_SET_UP) < RULE_SURVIVORS)))
        return true;
    return collected->asked && collected->late && collected->released > collected->alive;
}

/* What the holder's path says of the kind: a declared bound, or a keyed store without one. */
static void use_path(struct finding *out)
{
    if (owners_bounded(out->holder_path, out->holder_count, out->holder_growing))
        out->kind = KIND_plateau;
    else if (owners_unbounded_cache(out->holder_path, out->holder_count, out->holder_growing))
        out->kind = KIND_unbounded_cache;
}

static void say_path(struct finding *out, const struct visit *visit)
{
    if (out->holder_count > 0 && out->kind == KIND_plateau)
        evidence_bounded(out, visit);
    else if (out->holder_count > 0 && out->kind == KIND_unbounded_cache)
        evidence_cache(out, visit);
}

void culprits_hold(struct finding *out, const struct visit *visit, uint32_t site, uint64_t events)
{
    if (reach_of(out, visit->model, site, events, visit->places, visit->arena) == REACH_HELD)
        use_path(out);
    out->evicted_nothing &= out->kind != KIND_plateau;
    say_path(out, visit);
}

/* `searched`: the site whose holders were looked for, of those that the finding is made of. */
static void set_kind(struct finding *out, struct facts_of_growth *facts, const struct visit *visit,
                     const struct cohort *main, uint32_t searched)
{
    const double old = (double)(main->old_alive + main->old_released);
    bool lost, held;

    if (mapped_is_left(visit->model, main->site)) {
        facts->reach = REACH_HELD; /* by its name */
        out->kind = KIND_retained;
        out->left = out->evicted_nothing = true;
        out->confidence = fmin(SURE_AT_MOST, 1 - fmin(0.1, fmax(main->tail, RULE_TAIL)));
        out->held_by = "the name of this shared memory, which was not removed";
        out->remedy = remedy_of(mapped_remedy(visit->model, main->site));
        return;
    }
    facts->reach =
        reach_of(out, visit->model, searched, main->events, visit->places, visit->arena);
    collected_of(&facts->collected, visit->model, main->site);
    lost = facts->reach == REACH_LOST && main->column != SERIES_OBJECTS; /* they may have moved on */
    /* What was seen to be held from a root was no garbage, even if it became so at the end. */
    held = owners_rooted(out->holder_path, out->holder_count);
    out->kind = collected_lag(&facts->collected) && !held           ? KIND_gc_lag
                : not_known(&facts->collected, visit, main) && !held ? KIND_undecided
                : lost                                               ? KIND_native
                                                                     : KIND_retained;
    if (out->kind == KIND_retained)
        use_path(out);
    out->evicted_nothing = !lost && out->kind != KIND_plateau &&
                           (double)main->old_released <= RULE_EVICTED * old;
    out->confidence = 1 - fmin(0.1, fmax(main->tail, RULE_TAIL));
    if (out->evicted_nothing)
        out->confidence = fmin(out->confidence, SURE_AT_MOST);
    if (out->kind == KIND_gc_lag || out->kind == KIND_undecided) {
        out->evicted_nothing = false;
        out->held_by = out->unsearched = NULL;
        out->holder_count = 0;
        out->more_steps = out->kind == KIND_undecided ? visit->series.ticks : 0;
        out->confidence = out->kind == KIND_undecided ? 0.5 : out->confidence;
        out->endless = out->kind == KIND_gc_lag && lag_is_endless(visit);
        out->remedy = remedy_of(out->kind == KIND_undecided         ? REMEDY_longer
                                : out->endless                      ? REMEDY_collector_off
                                : collected_by_script(visit->model) ? REMEDY_collect_script
                                                                    : REMEDY_collect);
        return;
    }
    if (site_is_tensor(visit->model->sites[main->site].kind)) {
        remedy_for_tensors(out, visit->model, main->site, visit->arena);
        return;
    }
    if (out->kind == KIND_plateau)
        return;
    out->remedy = remedy_of(facts->map ? mapped_remedy(visit->model, main->site)
                            : lost     ? REMEDY_release_lost
                                       : REMEDY_release);
}

/* Survival by birth, in eighths of the run, of the sites that the culprits of this finding name. */
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

/* Memory of a library's own allocator is named, whatever is said of it. */
static void say_pool(struct finding *out, const struct visit *visit, uint32_t site)
{
    struct pool pool;

    if (site >= visit->model->site_count || visit->model->sites[site].kind != SITE_MAP ||
        !pools_made(visit->model, site, &pool))
        return;
    evidence_say(out, visit,
                 arena_print(visit->arena, "It is mapped by %s, outside of malloc: what of it is in use, "
                                           "and what is kept for later, only the library knows.",
                             pool.name));
    if (pool.code && out->remedy.code)
        out->remedy.code = pool.code;
}

void culprits_locate(struct finding *out, const struct visit *visit, uint32_t site)
{
    out->site = site < visit->model->site_count ? site + 1 : 0;
    if (visit->places && site < visit->model->site_count)
        places_of(visit->places, visit->model->sites[site].stack, &out->allocated_at,
                  &out->allocated_count);
    say_pool(out, visit, site);
}

/* Of two of one line: the one that grows faster among those whose holders were looked for. */
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
        other->told = visit->finding_count + 1;
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
    out->allocated_at = main->places;
    out->allocated_count = main->place_count;
    if (!main->waits)
        whole_complete(&culprits->whole, out, visit, main->places, main->place_count);
    set_kind(out, &facts, visit, &main->cohort,
             searched_site(visit, searched ? searched->cohort.site : main->cohort.site,
                           main->place_count ? main->places : NULL));
    set_survival(out, visit, &main->cohort);
    culprits->bases[visit->finding_count - 1] = (struct basis){facts, main->cohort.site};
}

static void say_all(struct visit *visit, const struct culprits *culprits)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *out = &visit->findings[i];

        evidence_growth(out, visit, &culprits->bases[i].facts);
        say_path(out, visit);
        say_pool(out, visit, culprits->bases[i].site);
        if (out->kind == KIND_gc_lag)
            device_work_lag(out, visit);
    }
}

static double bytes_of(const struct culprits *culprits, size_t from)
{
    double bytes = 0;

    for (size_t i = from; i < culprits->count; i++)
        bytes += culprits->items[i].cohort.rate.estimate;
    return bytes;
}

/* Where no line of the user's is on the block's stack, its rate tells: the framework made it after a
 * wait, for the tensors of the other. */
static bool is_data_of(const struct culprit *block, const struct culprit *tensor)
{
    const double rate = block->cohort.rate.estimate, other = tensor->cohort.rate.estimate;

    return block->place_count > 0 && !block->places[0].user &&
           strcmp(block->places[0].module, "javascript") == 0 && rate < 2 * other &&
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
        bool twice = i < heap && device_work_record(visit, culprits->items[i].cohort.site);

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
    static const unsigned apart[] = {SERIES_MAPS, SERIES_OBJECTS}; /* not of the heap */
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

/* What stops by itself takes no part in the way to the limit; nor does what the collector will free where
 * something else stays. */
static bool stops(const struct visit *visit, const struct culprit *culprit)
{
    return culprit->told > 0 && culprit->told <= visit->finding_count &&
           (visit->findings[culprit->told - 1].kind == KIND_plateau || culprit->waits);
}

static double growth_of(const struct culprits *culprits, const struct model *model, bool heap)
{
    double bytes = 0;

    for (size_t i = 0; i < culprits->count; i++)
        if (site_is_in_heap(model->sites[culprits->items[i].cohort.site].kind) == heap)
            bytes += culprits->items[i].cohort.rate.estimate;
    return bytes;
}

struct slope culprits_report(struct visit *visit, const struct outcome outcomes[SERIES_COLUMNS])
{
    struct culprits culprits = {
        .items = arena_take(visit->scratch, CULPRITS_MAX, sizeof(*culprits.items)),
        .bases = arena_take(visit->scratch, VISIT_FINDINGS_MAX, sizeof(*culprits.bases))};
    struct slope growth = {0, 0, 0};

    if (!culprits.items || !culprits.bases)
        return growth;
    collect(&culprits, visit, outcomes);
    culprits.whole.growth = series_growth(&visit->series);
    culprits.whole.maps = growth_of(&culprits, visit->model, false);
    culprits.whole.untold = culprits.whole.growth - growth_of(&culprits, visit->model, true);
    for (size_t i = 0; i < culprits.count; i++)
        if (!culprits.items[i].taken)
            report_line(visit, &culprits, i);
    whole_share_out(&culprits.whole, visit);
    say_all(visit, &culprits);
    for (size_t i = 0; i < culprits.count; i++) {
        const struct culprit *one = &culprits.items[i];

        if (stops(visit, one))
            continue;
        stats_add(&growth, one->cohort.rate);
    }
    growth.estimate += culprits.whole.beside;
    growth.high += fmax(0, culprits.whole.beside); /* less was kept than was sampled: known to that only */
    return stats_in_order(growth);
}
