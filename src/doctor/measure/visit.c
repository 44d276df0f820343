/* visit.c - see visit.h. */
#include "doctor/measure/visit.h"

#include "ledger/model.h"
#include "ledger/site_kind.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "doctor/measure/collected.h"
#include "doctor/source/places.h"
#include "ledger/writer.h"

struct visit *visit_new(const struct model *model, const struct run *run, struct places *places,
                        struct arena *arena)
{
    struct visit *visit = mem_zalloc(sizeof(*visit));
    struct arena *scratch = arena_new();

    if (!visit || !scratch) {
        mem_free(visit);
        arena_free(scratch);
        return NULL;
    }
    visit->scratch = scratch;
    visit->model = model;
    visit->runtime = runtime_of(model);
    visit->run = run;
    visit->places = places;
    visit->arena = arena;
    return visit;
}

bool visit_is_whole(const struct visit *visit)
{
    return visit && !arena_failed(visit->arena) && !arena_failed(visit->scratch);
}

void visit_free(struct visit *visit)
{
    if (visit)
        arena_free(visit->scratch);
    mem_free(visit);
}

const struct lives *visit_lives(struct visit *visit, unsigned column)
{
    struct lives *lives = &visit->lives[column];

    if (!lives->items)
        lives_collect(lives, visit->model, &visit->series, column, visit->scratch);
    return lives;
}

struct finding *visit_add(struct visit *visit)
{
    if (visit->finding_count == VISIT_FINDINGS_MAX)
        return NULL;
    visit->findings[visit->finding_count] = (struct finding){.id = 0}; /* may hold a dropped finding */
    return &visit->findings[visit->finding_count++];
}

void visit_note(struct visit *visit, struct fact note)
{
    if (note.id != FACT_none && visit->note_count < VISIT_NOTES_MAX)
        visit->notes[visit->note_count++] = note;
}

void visit_trail(struct visit *visit, uint32_t site, struct fact fact)
{
    if (visit->trail_count < VISIT_TRAIL_MAX)
        visit->trail[visit->trail_count++] = (struct trail_entry){fact, site};
    else
        visit->trail_lost++;
}

struct interval visit_rate(const struct visit *visit, struct slope per_tick)
{
    const double scale = clock_scale(&visit->clock);
    const struct slope rate = stats_in_order(per_tick);

    return (struct interval){rate.estimate * scale, rate.low * scale, rate.high * scale};
}

struct slope *visit_growth_of(struct visit *visit, uint32_t site)
{
    const struct model_site *record = &visit->model->sites[site];

    return site_is_device(record->kind) ? &visit->device_growth[record->class_index % LEDGER_DEVICES]
                                        : &visit->growth;
}

double visit_all_growth(const struct visit *visit)
{
    double all = visit->growth.estimate;

    for (unsigned i = 0; i < LEDGER_DEVICES; i++)
        all += visit->device_growth[i].estimate;
    return all;
}

static struct slope *growth_of_finding(struct visit *visit, const struct finding *finding)
{
    return finding->memory == MEMORY_DEVICE ? &visit->device_growth[finding->device % LEDGER_DEVICES]
                                            : &visit->growth;
}

void visit_grow(struct visit *visit, struct finding *finding, struct slope per_tick)
{
    const struct slope ordered = stats_in_order(per_tick);

    stats_add(growth_of_finding(visit, finding), ordered);
    stats_add(&finding->counted, ordered);
}

void visit_discount(struct visit *visit, struct finding *finding)
{
    struct slope *growth = growth_of_finding(visit, finding);

    growth->estimate = fmax(0, growth->estimate - finding->counted.estimate);
    growth->low -= finding->counted.low;
    growth->high = fmax(growth->estimate, growth->high - finding->counted.high);
    *growth = stats_in_order(*growth);
    finding->counted = (struct slope){0, 0, 0};
}

static double mean_object(const struct model *model)
{
    double bytes = 0, blocks = 0;

    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (block->site == 0 || model->sites[block->site - 1].kind != SITE_OBJECT || !block->size)
            continue;
        bytes += (double)block->weight;
        blocks += (double)block->weight / (double)block->size;
    }
    return blocks > 0 ? bytes / blocks : RULE_OBJECTS_SIZE;
}

static double mean_tensor(const struct model *model)
{
    const struct step_record *last =
        model->step_count ? &model->steps[model->step_count - 1] : NULL;

    return last && last->gauges[GAUGE_tensors] ? (double)last->gauges[GAUGE_tensor_bytes] /
                                                     (double)last->gauges[GAUGE_tensors]
                                               : 0;
}

static double mean_on_device(const struct model *model)
{
    const struct step_record *last =
        model->step_count ? &model->steps[model->step_count - 1] : NULL;

    return last && last->gauges[GAUGE_device_blocks]
               ? (double)last->gauges[GAUGE_device_used] / (double)last->gauges[GAUGE_device_blocks]
               : 0;
}

/* The floor for requests and events, which arrive without end: what they leave in a day counts. */
static double daily_floor(const struct visit *visit)
{
    const double day = visit->clock.seconds > 0 ? RULE_DAY / visit->clock.seconds : 0;

    if (!clock_arrives(&visit->clock) || day <= 0)
        return INFINITY;
    return fmax(RULE_NOTE_RATE, RULE_DAY_BYTES / day);
}

/* In a managed program every object has hundreds of bytes, so a short record of each step is not
 * a leak and the floor is higher. Memory without a holder is always a leak, so with such a
 * finding the floor is low. */
double visit_floor(const struct visit *visit)
{
    bool managed = visit->runtime->managed;

    for (size_t i = 0; i < visit->finding_count; i++)
        managed &= visit->findings[i].kind != KIND_native;
    if (visit->clock.id == CLOCK_model)
        return RULE_MODEL_RATE;
    return fmin(managed ? RULE_RECORD_RATE : RULE_FINDING_RATE, daily_floor(visit));
}

double visit_resident(const struct visit *visit)
{
    const struct model *model = visit->model;

    return model->step_count > 0 ? (double)model->steps[model->step_count - 1].resident : 0;
}

bool visit_is_little(const struct visit *visit, double per_tick)
{
    return clock_is_weak(&visit->clock) &&
           per_tick * (double)visit->series.ticks < RULE_LITTLE_SHARE * visit_resident(visit);
}

double visit_size(const struct visit *visit, unsigned column)
{
    const uint64_t all = model_live_blocks(visit->model);
    uint64_t blocks;

    if (column == SERIES_MAPS)
        return (double)visit->series.page;
    if (column == SERIES_TENSORS)
        return mean_tensor(visit->model);
    if (column == SERIES_OBJECTS)
        return mean_object(visit->model);
    if (column == SERIES_DEVICE)
        return mean_on_device(visit->model);
    if (column == SERIES_TOTAL)
        return all ? (double)model_live_bytes(visit->model) / (double)all : 0;
    blocks = model_class_blocks(visit->model, column);
    return blocks ? (double)model_class_bytes(visit->model, column) / (double)blocks
                  : (double)ledger_class_floor(column);
}

bool visit_same_line(const struct visit *visit, uint32_t left, uint32_t right)
{
    const struct model_site *sites = visit->model->sites;
    const struct place *a, *b;
    size_t count_a, count_b;

    if (sites[left].stack == sites[right].stack)
        return true;
    if (!visit->places)
        return false;
    places_of(visit->places, sites[left].stack, &a, &count_a);
    places_of(visit->places, sites[right].stack, &b, &count_b);
    return count_a > 0 && count_b > 0 && place_same_line(a, b);
}

const char *visit_interpreter(const struct visit *visit)
{
    return visit->run && visit->run->started_here ? visit->model->program : NULL;
}

uint32_t visit_kept_site(struct visit *visit)
{
    const struct lives *lives = visit_lives(visit, SERIES_TOTAL);
    double sum = 0, most = 0;
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < lives->count; i++) { /* by site */
        const struct life *life = &lives->items[i];

        if (i == 0 || life->site != lives->items[i - 1].site)
            sum = 0;
        if (life->birth > 0 && life->birth <= visit->series.ticks && !life->death)
            sum += life->units * (double)life->size;
        if (sum > most) {
            most = sum;
            best = life->site;
        }
    }
    return best;
}
