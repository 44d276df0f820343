/* peaks.c - see peaks.h. */
#include "doctor/peak/peaks.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "doctor/measure/clock.h"
#include "doctor/peak/peaks_parts.h"
#include "doctor/held/reach.h"
#include "doctor/facts/rules.h"

const char *peak_kind_name(enum peak_kind kind)
{
    static const char *const names[] = {
#define PEAK(number, name, says) [number] = #name,
#include "doctor/facts/peaks.def"
#undef PEAK
    };

    return (size_t)kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "";
}

struct peaks {
    struct scene scene;
    struct peak_finding *list; /* RULE_PEAK_FINDINGS of them, in the arena */
    size_t count;
};

static struct peak_finding *add(struct peaks *peaks, enum peak_kind kind, struct part *one,
                                struct part *other)
{
    struct peak_finding *out;

    if (peaks->count == RULE_PEAK_FINDINGS)
        return NULL;
    out = &peaks->list[peaks->count++];
    *out = (struct peak_finding){.kind = kind, .part_count = other ? 2 : 1};
    out->parts[0] = one->shown;
    out->bytes = one->shown.bytes;
    one->told = true;
    if (other) {
        out->parts[1] = other->shown;
        out->bytes += other->shown.bytes;
        other->told = true;
    }
    return out;
}

/* ---- the same data twice ---- */

/* One block, all of which is the array. */
static bool is_array(const struct part *part)
{
    return part->shown.array && part->shown.blocks == 1 &&
           (double)part->shown.array->bytes >= (1 - RULE_PEAK_SAME) * (double)part->block;
}

static bool same_line(const struct part *a, const struct part *b)
{
    return a->shown.place_count > 0 && b->shown.place_count > 0 &&
           place_same_line(&a->shown.places[0], &b->shown.places[0]);
}

static bool is_copy(const struct part *a, const struct part *b)
{
    return is_array(a) && is_array(b) && a->shown.outlives && b->shown.outlives &&
           a->shown.array->elements == b->shown.array->elements &&
           strcmp(a->shown.array->shape, b->shown.array->shape) == 0 && !same_line(a, b);
}

/* Which of the two was there first: by birth; in one file, by line; an array of NumPy before a
 * tensor; the wider before the narrower. */
static bool comes_first(const struct part *a, const struct part *b)
{
    const struct place *p = a->shown.places, *q = b->shown.places;

    if (a->first != b->first)
        return a->first < b->first;
    if (a->shown.place_count > 0 && b->shown.place_count > 0 && p->file && q->file &&
        strcmp(p->file, q->file) == 0 && p->function && q->function &&
        strcmp(p->function, q->function) == 0)
        return p->line < q->line;
    if (a->shown.array->kind != b->shown.array->kind)
        return a->shown.array->kind == ARRAY_NUMPY;
    return a->shown.array->bytes >= b->shown.array->bytes;
}

static void find_copies(struct peaks *peaks)
{
    struct scene *scene = &peaks->scene;

    for (size_t i = 0; i < scene->part_count; i++)
        for (size_t k = i + 1; k < scene->part_count; k++) {
            struct part *a = &scene->parts[i], *b = &scene->parts[k];
            const bool order = is_copy(a, b) && comes_first(a, b);
            struct peak_finding *out;

            if (a->told || b->told || !is_copy(a, b))
                continue;
            out = add(peaks, PEAK_copy, order ? a : b, order ? b : a);
            if (out)
                words_copy(out, scene);
        }
}

/* ---- a list, and its parts again in one piece ---- */

static bool is_stacked(const struct part *list, const struct part *whole)
{
    const double error = list->samples > 0 ? RULE_PEAK_ERRORS / sqrt(list->samples) : 1;
    const double allowed = (error > RULE_PEAK_SAME ? error : RULE_PEAK_SAME);
    const double difference = fabs((double)list->shown.bytes - (double)whole->block);

    return list->shown.blocks >= RULE_PEAK_MANY && whole->shown.blocks == 1 &&
           list->samples >= RULE_PEAK_MANY && whole->first >= list->first &&
           difference <= allowed * (double)whole->block && allowed < 0.5 &&
           list->born < 2 * list->shown.bytes;
}

static void find_stacked(struct peaks *peaks)
{
    struct scene *scene = &peaks->scene;

    for (size_t i = 0; i < scene->part_count; i++)
        for (size_t k = 0; k < scene->part_count; k++) {
            struct part *list = &scene->parts[i], *whole = &scene->parts[k];
            struct peak_finding *out;

            if (i == k || list->told || whole->told || !is_stacked(list, whole))
                continue;
            out = add(peaks, PEAK_stacked, list, whole);
            if (out)
                words_stacked(out, scene, list);
        }
}

/* ---- one line by itself ---- */

static bool is_dataset(const struct scene *scene, const struct part *part)
{
    return is_array(part) && part->shown.outlives && part->shown.before_steps && scene->clock != CLOCK_time &&
           scene->steps >= RULE_PEAK_STEPS && scene->batch > 0 &&
           scene->batch <= part->shown.array->bytes / RULE_PEAK_BATCH;
}

static bool was_released(const struct part *part)
{
    return (double)part->shown.kept < RULE_PEAK_GONE * (double)part->shown.bytes;
}

/* Many times as much was made as was there at the peak, to the second half of the steps. */
static bool is_made_anew(const struct scene *scene, const struct part *part)
{
    return scene->last_step > 0 && part->born >= RULE_PEAK_AGAIN * part->shown.bytes &&
           part->last > scene->first_step + (scene->last_step - scene->first_step) / 2;
}

static void tell_one(struct peaks *peaks, struct part *part)
{
    const struct scene *scene = &peaks->scene;
    const enum peak_kind kind = is_dataset(scene, part)     ? PEAK_dataset
                                : is_made_anew(scene, part) ? PEAK_intermediate
                                : was_released(part)        ? PEAK_temporary
                                                            : PEAK_large;
    struct peak_finding *out = add(peaks, kind, part, NULL);

    if (!out)
        return;
    if (kind == PEAK_dataset)
        words_dataset(out, scene);
    else if (kind == PEAK_intermediate)
        words_intermediate(out, scene, part);
    else if (kind == PEAK_temporary)
        words_temporary(out, scene);
    else
        words_large(out, scene);
}

/* The copy of a pair, or the whole of a list, is what the steps use: it may be a data set as well. */
static void find_others(struct peaks *peaks)
{
    struct scene *scene = &peaks->scene;
    const size_t pairs = peaks->count;

    for (size_t i = 0; i < scene->part_count; i++) {
        struct part *part = &scene->parts[i];
        bool second = false;

        for (size_t k = 0; k < pairs; k++)
            second |= peaks->list[k].parts[1].places == part->shown.places &&
                      peaks->list[k].part_count == 2 && part->shown.places;
        if (!part->told || (second && is_dataset(scene, part)))
            tell_one(peaks, part);
    }
}

/* ---- the process ---- */

/* In ordinals: where the first step ends, and where the last one does. */
static void find_steps(struct scene *scene, const struct clock_choice *clock)
{
    const struct model *model = scene->model;
    uint64_t ticks = 0;

    scene->clock = clock->id;
    scene->steps = clock->ticks;
    scene->gradients = model->totals.clock[CLOCK_backward] > 0;
    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];

        if (clock_tick(clock, step) <= ticks)
            continue;
        scene->first_step = ticks == 0 ? step->last : scene->first_step;
        scene->last_step = step->last;
        ticks = clock_tick(clock, step);
    }
}

void peaks_fill(struct process_report *report, const struct visit *visit)
{
    const struct model *model = visit->model;
    struct arena *arena = visit->arena;
    struct peaks *peaks = arena_take(arena, 1, sizeof(*peaks));

    if (!peaks || model->peak.number == 0)
        return;
    peaks->list = arena_take(arena, RULE_PEAK_FINDINGS, sizeof(*peaks->list));
    if (!peaks->list)
        return;
    peaks->scene = (struct scene){.model = model, .places = visit->places, .arena = arena,
                                  .peak_bytes = report->peak_bytes};
    find_steps(&peaks->scene, &visit->clock);
    parts_collect(&peaks->scene);
    find_copies(peaks);
    find_stacked(peaks);
    find_others(peaks);
    report->peak_findings = peaks->list;
    report->peak_finding_count = peaks->count;
}

/* ---- what to ask ---- */

static bool stands(const struct model *model, uint64_t ordinal)
{
    return ordinal + RULE_PEAK_STOOD <= model->totals.ordinal;
}

size_t peaks_wanted(const struct model *model, uint32_t sites[PEAKS_ASKED])
{
    const uint64_t resident =
        model->step_count > 0 ? model->steps[model->step_count - 1].resident : 0;
    size_t count = 0;

    if (!stands(model, model->peak.ordinal))
        return 0;
    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];
        size_t at = count;

        if (site->kind != SITE_HEAP || site->live_weight < RULE_PEAK_BYTES ||
            (double)site->live_weight < RULE_PEAK_ASK * (double)resident ||
            !stands(model, site->last) || reach_record(model, i) ||
            parts_imported(model, site->stack))
            continue;
        while (at > 0 && model->sites[sites[at - 1] - 1].live_weight < site->live_weight)
            at--;
        if (at == PEAKS_ASKED)
            continue;
        count += count < PEAKS_ASKED;
        memmove(&sites[at + 1], &sites[at], (count - 1 - at) * sizeof(sites[0]));
        sites[at] = i + 1;
    }
    return count;
}
