/* peaks_words.c - the sentences of the peak findings. Every number in them is a field beside them. */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/held/arrays.h"
#include "doctor/measure/clock.h"
#include "doctor/peak/peaks_parts.h"

#define SAVINGS_MAX 4

static const char *size_of(const struct scene *scene, uint64_t bytes)
{
    char text[TEXT_SIZE_MAX];

    return arena_print(scene->arena, "%s", text_size(text, bytes));
}

static const char *count_of(const struct scene *scene, uint64_t count)
{
    char text[TEXT_SIZE_MAX];

    return arena_print(scene->arena, "%s", text_count(text, count));
}

static const char *line_of(const struct scene *scene, const struct place *place)
{
    if (!place || !place->file || place->line == 0)
        return place && place->function ? place->function : "a line that is not known";
    return arena_print(scene->arena, "%s:%u", text_base_name(place->file), place->line);
}

static const struct place *place_of(const struct peak_part *part)
{
    return part->place_count > 0 ? part->places : NULL;
}

/* "'data'", or "the block of train.py:6". */
static const char *name_of(const struct scene *scene, const struct peak_part *part)
{
    if (part->variable)
        return arena_print(scene->arena, "'%s'", part->variable);
    return arena_print(scene->arena, part->blocks > 1 ? "the blocks of %s" : "the block of %s",
                       line_of(scene, place_of(part)));
}

static const char *blocks_of(const struct scene *scene, const struct peak_part *part)
{
    return part->blocks == 1 ? "one block"
                             : arena_print(scene->arena, "about %s blocks",
                                           count_of(scene, part->blocks));
}

static const char *described(const struct scene *scene, const struct peak_part *part)
{
    return part->array ? arena_print(scene->arena, "%s (%s, %s)", name_of(scene, part),
                                     arrays_text(part->array, scene->arena),
                                     size_of(scene, part->bytes))
                       : arena_print(scene->arena, "%s (%s)", name_of(scene, part),
                                     size_of(scene, part->bytes));
}

/* "in all 300 steps" */
static const char *through(const struct scene *scene)
{
    return scene->clock == CLOCK_time ? "to the end"
                          : arena_print(scene->arena, "through all %s %s", count_of(scene, scene->steps),
                                        clock_ticks_name(scene->clock, scene->steps));
}

static void save(struct peak_finding *out, const struct scene *scene,
                 const struct peak_saving *saving)
{
    struct peak_saving *list = (struct peak_saving *)(uintptr_t)out->savings;

    if (!list)
        list = arena_take(scene->arena, SAVINGS_MAX, sizeof(*list));
    if (!list || out->saving_count == SAVINGS_MAX || saving->bytes == 0)
        return;
    list[out->saving_count++] = *saving;
    out->savings = list;
}

/* ---- the same data twice ---- */

static bool same_type(const struct array_facts *a, const struct array_facts *b)
{
    return strcmp(a->dtype, b->dtype) == 0;
}

static bool is_of(const struct peak_part *part, enum array_kind kind)
{
    return part->array->kind == kind;
}

static void save_by_delete(struct peak_finding *out, const struct scene *scene)
{
    const struct peak_part *first = &out->parts[0], *second = &out->parts[1];
    const char *code =
        first->variable ? arena_print(scene->arena, "del %s", first->variable) : NULL;

    save(out, scene,
         &(struct peak_saving){
             .text = arena_print(scene->arena, "let go of %s once %s is made, if nothing else reads it",
                                 name_of(scene, first), name_of(scene, second)),
             .code = code, .bytes = first->bytes, .remains = second->bytes});
}

/* A tensor can use the memory of an array, if the types are the same. */
static void save_by_sharing(struct peak_finding *out, const struct scene *scene)
{
    const struct peak_part *first = &out->parts[0], *second = &out->parts[1];
    const bool same = same_type(first->array, second->array);
    const char *code = first->variable && second->variable
                           ? arena_print(scene->arena, "%s = torch.from_numpy(%s)",
                                         second->variable, first->variable)
                           : NULL;
    const char *text =
        same ? arena_print(scene->arena, "share the memory of %s by torch.from_numpy: it copies nothing",
                           name_of(scene, first))
             : arena_print(scene->arena,
                           "make %s in %s from the start and share it by torch.from_numpy",
                           name_of(scene, first), second->array->dtype);

    save(out, scene, &(struct peak_saving){.text = text, .code = code,
                                           .bytes = same ? second->bytes : first->bytes,
                                           .remains = same ? first->bytes : second->bytes,
                                           .lowers_peak = true});
}

/* The first in the type of the second, both still there. */
static void save_by_type(struct peak_finding *out, const struct scene *scene)
{
    const struct peak_part *first = &out->parts[0], *second = &out->parts[1];

    if (same_type(first->array, second->array) || first->bytes <= second->bytes)
        return;
    save(out, scene,
         &(struct peak_saving){.text = arena_print(scene->arena, "make %s in %s, and still copy it",
                                                   name_of(scene, first), second->array->dtype),
                               .bytes = first->bytes - second->bytes,
                               .remains = 2 * second->bytes,
                               .lowers_peak = true});
}

void words_copy(struct peak_finding *out, const struct scene *scene)
{
    const struct peak_part *first = &out->parts[0], *second = &out->parts[1];

    out->summary = arena_print(scene->arena, "The same data twice: %s and %s have the same shape, and "
                                             "both are alive %s.",
                               described(scene, first), described(scene, second), through(scene));
    if (is_of(first, ARRAY_NUMPY) && is_of(second, ARRAY_TORCH))
        save_by_sharing(out, scene);
    save_by_delete(out, scene);
    save_by_type(out, scene);
}

/* ---- a list, and its parts again in one piece ---- */

void words_stacked(struct peak_finding *out, const struct scene *scene, const struct part *list)
{
    const struct peak_part *many = &out->parts[0], *whole = &out->parts[1];

    out->summary = arena_print(
        scene->arena,
        "The same data twice: about %s blocks of %s (%s) made at %s, and %s, made behind them, which "
        "is as large as all of them.",
        count_of(scene, many->blocks), size_of(scene, list->block), size_of(scene, many->bytes),
        line_of(scene, place_of(many)), described(scene, whole));
    save(out, scene,
         &(struct peak_saving){
             .text = arena_print(scene->arena,
                                 "make the whole first (np.empty, torch.empty) and fill it part by "
                                 "part: the list of %s is not needed",
                                 size_of(scene, many->bytes)),
             .bytes = many->bytes, .remains = whole->bytes, .lowers_peak = true});
    save(out, scene,
         &(struct peak_saving){
             .text = arena_print(scene->arena,
                                 "give the parts on one by one (a generator, a loader) where a few "
                                 "at a time are enough: a part is %s",
                                 size_of(scene, list->block)),
             .bytes = out->bytes - list->block, .remains = list->block, .lowers_peak = true});
}

/* ---- one line by itself ---- */

void words_dataset(struct peak_finding *out, const struct scene *scene)
{
    const struct peak_part *part = &out->parts[0];
    const uint64_t bytes = part->array->bytes;

    out->summary = arena_print(
        scene->arena,
        "A whole data set in memory: %s was allocated before the %s and is alive %s; the largest block "
        "allocated in each %s is %s (%s).",
        described(scene, part), clock_ticks_name(scene->clock, 2), through(scene),
        clock_tick_name(scene->clock), size_of(scene, scene->batch),
        line_of(scene, scene->batch_at));
    save(out, scene,
         &(struct peak_saving){
             .text = arena_print(scene->arena,
                                 "keep it in a file and read a batch at a time (a memory map%s, or a "
                                 "loader over files): %s, if a batch is as large as that block; a "
                                 "row is %s",
                                 is_of(part, ARRAY_NUMPY) ? " by numpy.load(…, mmap_mode=\"r\")" : "",
                                 size_of(scene, scene->batch),
                                 size_of(scene, part->array->rows ? bytes / part->array->rows : bytes)),
             .bytes = bytes - scene->batch, .remains = scene->batch, .lowers_peak = true});
}

void words_intermediate(struct peak_finding *out, const struct scene *scene,
                        const struct part *part)
{
    const struct peak_part *shown = &out->parts[0];
    const double times = (double)part->born / (double)(shown->bytes ? shown->bytes : 1);

    out->summary = arena_print(
        scene->arena,
        "Allocated over and over at %s: %s in %s at the peak, about %.0f times as much in the whole "
        "run.",
        line_of(scene, place_of(shown)), size_of(scene, shown->bytes), blocks_of(scene, shown), times);
    save(out, scene,
         &(struct peak_saving){
             .text = scene->gradients
                         ? "half the batch needs half of it; so does recomputing half of the layers "
                           "(torch.utils.checkpoint)"
                         : "half the batch, or half of the data at a time, needs half of it",
             .bytes = shown->bytes / 2, .remains = shown->bytes - shown->bytes / 2,
             .lowers_peak = true});
}

void words_temporary(struct peak_finding *out, const struct scene *scene)
{
    const struct peak_part *part = &out->parts[0];

    out->summary = arena_print(scene->arena,
                               "Alive around the peak, and released since: %s of %s, in %s.",
                               size_of(scene, part->bytes), line_of(scene, place_of(part)),
                               blocks_of(scene, part));
    save(out, scene,
         &(struct peak_saving){
             .text = "do that work in pieces, in place, or before the rest is made: it adds this to "
                     "the peak, and nothing to what stays",
             .bytes = part->bytes, .lowers_peak = true});
}

void words_large(struct peak_finding *out, const struct scene *scene)
{
    const struct peak_part *part = &out->parts[0];

    out->summary =
        part->outlives
            ? arena_print(scene->arena, "A large part of the peak: %s, made at %s, alive %s.",
                          described(scene, part), line_of(scene, place_of(part)), through(scene))
            : arena_print(scene->arena, "A large part of the peak: %s, made at %s; %s of it stay.",
                          described(scene, part), line_of(scene, place_of(part)),
                          size_of(scene, part->kept));
}
