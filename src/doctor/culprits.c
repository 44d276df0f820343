/* culprits.c - see culprits.h. */
#include "doctor/culprits.h"

#include <math.h>
#include <string.h>

#include "doctor/evidence.h"
#include "doctor/places.h"
#include "doctor/remedies.h"

#define MEMBERS_MAX  32 /* sites of one class that are told apart */
#define CULPRITS_MAX (SERIES_COLUMNS * MEMBERS_MAX)
#define SURE_AT_MOST 0.95 /* while a bounded store cannot be excluded */

struct culprit {
    struct cohort cohort;
    const struct place *places;
    size_t place_count;
    bool taken; /* into a finding */
};

struct culprits {
    struct culprit *items; /* owned by the arena */
    size_t count;
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
        if (outcome->suspected && cohort.state <= outcome->best.state)
            continue;
        *outcome = (struct outcome){true, cohort, suspect};
    }
}

/* ---- collecting ---- */

static void add(struct culprits *culprits, const struct visit *visit, const struct cohort *cohort)
{
    struct culprit *one = &culprits->items[culprits->count++];

    one->cohort = *cohort;
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

/* Blocks made at the same line, or, where lines are not known, by the same stack. */
static bool same_line(const struct visit *visit, const struct culprit *left,
                      const struct culprit *right)
{
    const struct place *a = left->places, *b = right->places;

    if (left->place_count > 0 && right->place_count > 0 && a->line && b->line)
        return a->line == b->line && same_text(a->file, b->file);
    return visit->model->sites[left->cohort.site].stack ==
           visit->model->sites[right->cohort.site].stack;
}

/* ---- one finding ---- */

/* What is alive of a cohort's site; of a whole stack where all size classes were judged as one. */
static void add_live(struct finding *out, const struct model *model, const struct cohort *cohort)
{
    const bool whole = cohort->column == SERIES_TOTAL;

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

static void set_kind(struct finding *out, struct facts_of_growth *facts, const struct visit *visit,
                     const struct cohort *main)
{
    const double old = (double)(main->old_alive + main->old_released);

    facts->reach = reach_of(visit->model, main->site, visit->places, visit->arena, &out->held_by);
    collected_of(&facts->collected, visit->model, main->site);
    out->kind = collected_lag(&facts->collected) ? KIND_gc_lag
                : facts->reach == REACH_LOST     ? KIND_native
                                                 : KIND_retained;
    out->evicted_nothing =
        facts->reach != REACH_LOST && (double)main->old_released <= RULE_EVICTED * old;
    out->confidence = 1 - fmin(0.1, fmax(main->tail, RULE_TAIL));
    if (out->evicted_nothing)
        out->confidence = fmin(out->confidence, SURE_AT_MOST);
    if (out->kind == KIND_gc_lag) {
        out->evicted_nothing = false;
        out->held_by = NULL;
        out->remedy = remedy_of(REMEDY_collect);
        return;
    }
    out->remedy = remedy_of(facts->map                   ? REMEDY_unmap
                            : facts->reach == REACH_LOST ? REMEDY_release_lost
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

void culprits_locate(struct finding *out, const struct visit *visit, uint32_t site)
{
    out->site = site < visit->model->site_count ? site + 1 : 0;
    if (visit->places && site < visit->model->site_count)
        places_of(visit->places, visit->model->sites[site].stack, &out->allocated_at,
                  &out->allocated_count);
}

static void report_line(struct visit *visit, struct culprits *culprits, size_t first)
{
    struct facts_of_growth facts = {.certain = true};
    struct culprit *main = &culprits->items[first];
    struct finding one = {.id = 0};
    struct finding *out;

    for (size_t i = first; i < culprits->count; i++) {
        struct culprit *other = &culprits->items[i];

        if (other->taken || !same_line(visit, &culprits->items[first], other))
            continue;
        other->taken = true;
        add_numbers(&one, &facts, visit, &other->cohort);
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
    set_kind(out, &facts, visit, &main->cohort);
    set_survival(out, visit, &main->cohort);
    evidence_growth(out, visit, &facts);
}

static double bytes_of(const struct culprits *culprits, size_t from)
{
    double bytes = 0;

    for (size_t i = from; i < culprits->count; i++)
        bytes += culprits->items[i].cohort.rate.estimate;
    return bytes;
}

/* Size class by size class; where blocks of one line are of many sizes, no class may say much, and
 * all classes together say it instead. */
static void collect(struct culprits *culprits, struct visit *visit,
                    const struct outcome outcomes[SERIES_COLUMNS])
{
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
    if (outcomes[SERIES_MAPS].suspected && outcomes[SERIES_MAPS].best.state == COHORT_GROWING)
        add_members(culprits, visit, &outcomes[SERIES_MAPS]);
}

struct slope culprits_report(struct visit *visit, const struct outcome outcomes[SERIES_COLUMNS])
{
    struct culprits culprits = {
        .items = arena_take(visit->arena, CULPRITS_MAX, sizeof(*culprits.items))};
    struct slope growth = {0, 0, 0};

    if (!culprits.items)
        return growth;
    collect(&culprits, visit, outcomes);
    for (size_t i = 0; i < culprits.count; i++) {
        const struct slope *rate = &culprits.items[i].cohort.rate;

        growth.estimate += rate->estimate;
        growth.low += rate->low;
        growth.high += rate->high;
        if (!culprits.items[i].taken)
            report_line(visit, &culprits, i);
    }
    return growth;
}
