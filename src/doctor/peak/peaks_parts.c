/* peaks_parts.c - the measurements behind the peak findings: which stacks had most at the peak, what
 * of them was alive at the last step, and who holds it. */
#include "doctor/peak/peaks_parts.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/held/arrays.h"
#include "doctor/measure/imports.h"
#include "doctor/held/owners.h"
#include "doctor/source/places.h"
#include "doctor/held/reach.h"
#include "doctor/facts/rules.h"
#include "doctor/facts/runtimes.h"

/* ---- which stacks ---- */

/* The innermost frames of libraries alone: what the user's code does there is no import of its. */
bool parts_imported(const struct model *model, uint32_t stack)
{
    const struct model_frame *frame = model_frame(model, stack);

    for (unsigned depth = 0; frame && depth < MODEL_DEPTH_MAX; depth++) {
        if (imports_frame(model, frame))
            return true;
        if (frame->kind == FRAME_PYTHON && frame->unit > 0 && frame->unit <= model->code_count &&
            !runtimes_python(model->code[frame->unit - 1].file))
            return false;
        stack = frame->caller;
    }
    return false;
}

/* The mean size of the blocks of a class, over the run. */
static uint64_t class_block(const struct model *model, uint32_t class_index)
{
    const struct class_total *total = &model->totals.classes[class_index % LEDGER_CLASSES];

    return total->born_blocks ? total->born_bytes / total->born_blocks : 0;
}

static struct part *part_of(struct scene *scene, uint32_t stack)
{
    for (size_t i = 0; i < scene->part_count; i++)
        if (scene->parts[i].stack == stack)
            return &scene->parts[i];
    return NULL;
}

/* The stack's bytes at the peak, over all its size classes. */
static uint64_t peak_of(const struct model *model, uint32_t stack)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < model->site_count; i++)
        if (model->sites[i].kind == SITE_HEAP && model->sites[i].stack == stack)
            bytes += model->sites[i].peak_weight;
    return bytes;
}

static void insert_part(struct scene *scene, uint32_t stack, uint64_t bytes)
{
    size_t at = scene->part_count;

    while (at > 0 && scene->parts[at - 1].shown.bytes < bytes)
        at--;
    if (at == PARTS_MAX)
        return;
    scene->part_count += scene->part_count < PARTS_MAX;
    memmove(&scene->parts[at + 1], &scene->parts[at],
            (scene->part_count - 1 - at) * sizeof(scene->parts[0]));
    scene->parts[at] = (struct part){.stack = stack, .shown.bytes = bytes};
}

/* Of a large framework most is there before the program does anything. */
static uint64_t imported_bytes(const struct model *model)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < model->site_count; i++)
        if (model->sites[i].stack && parts_imported(model, model->sites[i].stack))
            bytes += model->sites[i].peak_weight;
    return bytes;
}

static void choose_stacks(struct scene *scene)
{
    const struct model *model = scene->model;
    const uint64_t imported = imported_bytes(model);
    const double own = scene->peak_bytes > imported ? (double)(scene->peak_bytes - imported) : 0;
    const double least = RULE_PEAK_SHARE * own;

    for (size_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];
        uint64_t bytes;

        /* A stack with only small size classes has many sizes, so it is not an array and not a list. */
        if (site->kind != SITE_HEAP || site->stack == 0 ||
            site->peak_weight < RULE_PEAK_BYTES / 4 || part_of(scene, site->stack))
            continue;
        bytes = peak_of(model, site->stack);
        if (bytes >= RULE_PEAK_BYTES && (double)bytes >= least && !parts_imported(model, site->stack))
            insert_part(scene, site->stack, bytes);
    }
}

/* ---- their numbers ---- */

static void add_site(struct part *part, const struct scene *scene, uint32_t index)
{
    const struct model_site *site = &scene->model->sites[index];
    const uint64_t block = class_block(scene->model, site->class_index);
    const double weight = model_mean_weight(site);

    if (part->born == 0 || site->peak_weight > scene->model->sites[part->site].peak_weight) {
        part->site = index;
        part->block = block;
    }
    part->first = part->first && part->first < site->first ? part->first : site->first;
    part->last = part->last > site->last ? part->last : site->last;
    part->born += site->born_weight;
    part->samples += weight > 0 ? (double)site->peak_weight / weight : 0;
}

static void add_sites(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->model->site_count; i++) {
        const struct model_site *site = &scene->model->sites[i];
        struct part *part = site->kind == SITE_HEAP ? part_of(scene, site->stack) : NULL;

        if (part)
            add_site(part, scene, i);
    }
}

/* Alive at the last step: what is alive now, and what was released behind that step. Fast steps share an
 * interval, the last of them with what follows the loop. */
static void add_kept(struct scene *scene)
{
    const struct model *model = scene->model;

    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];
        struct part *part = block->site && block->site <= model->site_count
                                ? part_of(scene, model->sites[block->site - 1].stack)
                                : NULL;

        if (!part || (scene->last_step && block->birth > scene->last_step))
            continue;
        part->shown.kept += block->weight;
        if (block->site - 1 == part->site)
            part->block = block->size; /* better than the mean of its class */
    }
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        const struct model_site *site =
            death->site && death->site <= model->site_count ? &model->sites[death->site - 1] : NULL;
        struct part *part = site ? part_of(scene, site->stack) : NULL;

        if (!part)
            continue;
        if (death->size && death->site - 1 == part->site)
            part->block = death->size;
        if (death->birth < scene->last_step && death->death >= scene->last_step)
            part->shown.kept += (uint64_t)model_mean_weight(site);
    }
}

/* The first backward passes are charged to the line that runs them, later ones to the lines whose
 * gradients they compute: blocks of the same size that those make are the same work. */
static void join_backward(struct scene *scene, struct part *part)
{
    const struct model *model = scene->model;
    const uint64_t half = scene->first_step + (scene->last_step - scene->first_step) / 2;
    uint64_t last = part->last;

    for (size_t i = 0; i < model->site_count && part->last <= half; i++) {
        const struct model_site *site = &model->sites[i];

        if (site->kind != SITE_HEAP ||
            model_frame_kind(model_frame(model, site->stack)) != FRAME_BACKWARD ||
            site->class_index != model->sites[part->site].class_index || site->peak_weight > 0 ||
            site->first < part->first)
            continue;
        part->born += site->born_weight;
        last = last > site->last ? last : site->last;
    }
    part->last = last;
}

static void conclude(struct scene *scene)
{
    for (size_t i = 0; i < scene->part_count; i++) {
        struct part *part = &scene->parts[i];
        struct peak_part *shown = &part->shown;

        shown->blocks = part->block ? (shown->bytes + part->block / 2) / part->block : 0;
        shown->blocks = shown->blocks ? shown->blocks : 1;
        if (shown->blocks == 1 && part->block)
            shown->bytes = part->block; /* exact: the one block itself */
        shown->before_steps = scene->first_step && part->last <= scene->first_step;
        shown->outlives =
            (double)shown->kept > (1 - RULE_PEAK_GONE) * (double)shown->bytes;
        if (shown->kept > shown->bytes && shown->blocks == 1)
            shown->kept = shown->bytes;
        if (shown->kept == 0)
            join_backward(scene, part);
    }
}

/* ---- who holds them ---- */

/* The names that lead to it, as the program would write them: "data", "self.images", "sets['a']". */
static const char *variable_of(const struct holder_step *path, size_t count, struct arena *arena)
{
    const char *text = NULL;

    for (size_t i = 1; i < count; i++) {
        const struct holder_step *step = &path[i];
        const bool first = i == 1;

        if (step->kind == OWNER_LOCAL && first)
            text = step->name;
        else if (step->kind == OWNER_ATTRIBUTE && step->name[0] && !text_is(step->name, "grad_fn"))
            text = first ? step->name : arena_print(arena, "%s.%s", text, step->name);
        else if (step->kind == OWNER_KEY && text && step->name[0])
            text = arena_print(arena, "%s[%s]", text, step->name);
        else
            break;
        if (!text || !text[0])
            return NULL;
    }
    return text;
}

/* Behind a tensor there is nothing but its own parts. */
static const char *array_holder(const struct scene *scene, const struct finding *held)
{
    size_t count = held->holder_count;

    while (count > 1 && held->holder_path[count - 1].kind == OWNER_NATIVE)
        count--;
    return owners_text(held->holder_path, count, held->holder_growing, scene->arena);
}

static void name_holders(struct scene *scene)
{
    for (size_t i = 0; i < scene->part_count; i++) {
        struct part *part = &scene->parts[i];
        const struct holder_record *record = reach_record(scene->model, part->site);
        struct finding held = {.id = 0};

        if (scene->places)
            places_of(scene->places, part->stack, &part->shown.places, &part->shown.place_count);
        if (!record || reach_of(&held, scene->model, part->site, part->shown.blocks, scene->places,
                                scene->arena) != REACH_HELD)
            continue;
        part->shown.held_by = held.held_by;
        part->shown.array = held.array;
        if (held.array && held.holder_count > 0)
            part->shown.held_by = array_holder(scene, &held);
        part->shown.variable = variable_of(held.holder_path, held.holder_count, scene->arena);
    }
}

/* ---- what a step makes ---- */

/* Made about once a step or more often, to the end of the run, and released again. */
static bool is_of_steps(const struct scene *scene, const struct model_site *site, uint64_t block)
{
    const double made = block ? (double)site->born_weight / (double)block : 0;
    const uint64_t half = scene->first_step + (scene->last_step - scene->first_step) / 2;

    return site->kind == SITE_HEAP && site->stack && made >= 0.5 * (double)scene->steps &&
           site->first <= half && site->last > half && site->deaths * 2 > site->births;
}

static void find_batch(struct scene *scene)
{
    uint32_t stack = 0;

    for (size_t i = 0; i < scene->model->site_count && scene->clock != CLOCK_time; i++) {
        const struct model_site *site = &scene->model->sites[i];
        const uint64_t block = class_block(scene->model, site->class_index);

        if (block > scene->batch && is_of_steps(scene, site, block)) {
            scene->batch = block;
            stack = site->stack;
        }
    }
    if (stack && scene->places) {
        const struct place *places;
        size_t count;

        places_of(scene->places, stack, &places, &count);
        scene->batch_at = count > 0 ? places : NULL;
    }
}

void parts_collect(struct scene *scene)
{
    choose_stacks(scene);
    if (scene->part_count == 0)
        return;
    add_sites(scene);
    add_kept(scene);
    conclude(scene);
    name_holders(scene);
    find_batch(scene);
}
