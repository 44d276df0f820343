/* reach.c - see reach.h. */
#include "doctor/held/reach.h"

#include "base/arena.h"
#include "doctor/held/arrays.h"
#include "doctor/measure/collected.h"
#include "doctor/measure/holder_records.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/held/owners.h"
#include "doctor/source/places.h"
#include "doctor/facts/rules.h"
#include "ledger/site_kind.h"

/* The search came after the program's work, and at least a third of the blocks had been released
 * with the function that held them. So what holds the rest may not be what held them all. */
static bool came_late(const struct model *model, const struct holder_record *record)
{
    const uint64_t end = collected_last_work(model);
    uint64_t gone = 0;

    if (end == 0 || record->ordinal <= end || !runtime_of(model)->doubts_late_search)
        return false;
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        gone += death->site == record->site && death->death >= end &&
                death->death <= record->ordinal && death->birth + RULE_AGE_MIN <= end;
    }
    return gone >= RULE_SURVIVORS && gone * 2 >= record->targets;
}

static bool may_answer(const struct model *model, const struct holder_record *record, uint32_t site,
                       bool exact)
{
    return holder_is_of(model, record, site) && !(exact && record->site != site + 1) &&
           !came_late(model, record);
}

/* The latest record that may answer. A record that found blocks held by variables of the program
 * comes first, because at the end variables are gone; then one with a path of owners. */
static const struct holder_record *best_record(const struct model *model, uint32_t site, bool exact)
{
    const struct holder_record *latest = NULL, *owned = NULL;

    for (size_t i = model->holder_count; i-- > 0;) {
        const struct holder_record *record = &model->holders[i];

        if (!may_answer(model, record, site, exact))
            continue;
        if (holder_was_held(model, i, site))
            return record;
        if (!owned && holder_has_owner(model, i))
            owned = record;
        if (!latest)
            latest = record;
    }
    return owned || exact ? owned : latest;
}

/* A search for the site itself counts more than one for its stack. */
const struct holder_record *reach_record(const struct model *model, uint32_t site)
{
    const struct holder_record *own = best_record(model, site, true);

    return own ? own : best_record(model, site, false);
}

bool reach_known(const struct model *model, uint32_t site)
{
    const struct holder_record *record = reach_record(model, site);

    /* A search for another site of the stack knows the holder, but not the type of this site's
     * blocks. */
    if (!record || (record->site != site + 1 && model->sites[site].kind != SITE_OBJECT))
        return false;
    return model->code_count == 0 || holder_has_owner(model, (size_t)(record - model->holders));
}

static const char *root_name(const struct holder_record *record, struct places *places,
                             struct arena *arena)
{
    const char *name = NULL;

    switch (record->root) {
    case ROOT_MODULE:
        if (places)
            name = places_variable(places, record->unit, record->offset);
        return name ? name : "a global variable";
    case ROOT_STACK:
        return "a stack, or thread-local memory";
    case ROOT_MEMORY:
        return arena_print(arena, "mapped or thread-local memory at 0x%llx",
                           (unsigned long long)record->offset);
    }
    return NULL;
}

/* How many offsets from `at` on are the same. */
static uint32_t equal_offsets(const struct holder_record *record, uint32_t at, uint32_t shown)
{
    uint32_t end = at + 1;

    while (end < shown && record->path[end] == record->path[at])
        end++;
    return end - at;
}

/* The pointers from the root to the block as text: "cache (cache.c:12) → +16 → +8". The end of a
 * long path is cut, and a chain of equal offsets, such as a linked list, is counted: "→ +0, 8 times". */
static const char *path_text(const struct holder_record *record, const char *root,
                             struct arena *arena)
{
    const uint32_t pointers = record->depth > 0 ? record->depth - 1 : 0;
    const uint32_t shown = pointers < HOLDER_PATH ? pointers : HOLDER_PATH;
    const char *text = root;

    for (uint32_t i = 0, run; i < shown && text; i += run) {
        run = equal_offsets(record, i, shown);
        text = arena_print(arena, "%s → +%u", text, record->path[i]);
        if (text && run > 1)
            text = arena_print(arena, "%s, %u times", text, run);
    }
    if (text && pointers > shown)
        text = arena_print(arena, "%s → … (%u more)", text, pointers - shown);
    return text;
}

/* The holder's name if the block was allocated by Python or JavaScript code; else NULL. Words in the
 * interpreter's heap lead to the block, but only an adapter could name the object. */
static const char *managed_holder(const struct model *model, uint32_t site)
{
    const struct model_frame *frame = model_site_frame(model, site);
    uint32_t kind;

    if (model_frame_kind(frame) == FRAME_BACKWARD)
        frame = model_frame(model, frame->caller);
    kind = model_frame_kind(frame);
    return kind == FRAME_PYTHON ? "a Python object"
           : kind == FRAME_JS   ? "a JavaScript object"
                                : NULL;
}

/* An add-on may have lost these blocks: a collection left most of them, and no word of memory
 * leads to them. A collection would have released blocks of the engine. Buffers do not count,
 * because the engine has lists of them in native memory. */
static bool may_be_lost(const struct model *model, const struct holder_record *record, uint32_t site)
{
    struct collected collected;

    if (record->targets < RULE_SURVIVORS || collected_counted(model, &model->sites[site]))
        return false;
    collected_of(&collected, model, site);
    return collected.asked && !collected.late && collected.alive > collected.released;
}

/* Uses the path of the language's objects as the holder, if there is one: it says more than
 * words of memory. */
static bool name_owner(struct finding *out, const struct model *model,
                       const struct holder_record *record, uint64_t events, struct arena *arena)
{
    out->holder_count = owners_path(model, record, arena, &out->holder_path);
    if (out->holder_count == 0)
        return false;
    out->holder_growing = owners_growing(out->holder_path, out->holder_count, events);
    out->array = arrays_of(model, record, arena);
    out->held_by = owners_text(out->holder_path, out->holder_count, out->holder_growing, arena);
    return true;
}

/* Drops a path whose container has reached its declared limit: that container does not make
 * memory grow, so something else holds the rest. */
static bool drop_full(struct finding *out)
{
    if (!owners_full(out->holder_path, out->holder_count, out->holder_growing))
        return false;
    out->holder_path = NULL;
    out->holder_count = 0;
    out->held_by = NULL;
    return true;
}

/* Who holds most of the sampled tensors of this site, according to TensorFlow.js. */
static enum tensor_holder engine_holder(const struct model *model, uint32_t site)
{
    uint64_t counts[TENSOR_KEPT + 1] = {0}, all = 0;

    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (block->site == 0 || model->sites[block->site - 1].stack != model->sites[site].stack ||
            !site_is_tensor(model->sites[block->site - 1].kind))
            continue;
        all++;
        counts[block->holder <= TENSOR_KEPT ? block->holder : 0]++;
    }
    for (unsigned i = 1; i <= TENSOR_KEPT; i++)
        if (counts[i] * 2 > all)
            return (enum tensor_holder)i;
    return TENSOR_FREE;
}

/* `managed`: the collector may release its data before it is disposed. */
static const char *holder_words(enum tensor_holder holder, bool managed)
{
    static const char *const words[] = {
        [TENSOR_FREE] = "the engine: never disposed",
        [TENSOR_VARIABLE] = "the engine: its registered variables, until they are disposed",
        [TENSOR_SCOPE] = "the engine: a scope that was begun and never ended",
        [TENSOR_KEPT] = "the engine: kept by tf.keep(), never disposed"};

    return holder == TENSOR_FREE && managed ? "a JavaScript object" : words[holder];
}

const char *reach_cycle(struct finding *out, const struct model *model, uint32_t site,
                        struct arena *arena)
{
    for (size_t i = model->holder_count; i-- > 0 && site < model->site_count;) {
        const struct holder_step *path;
        size_t count;

        if (!holder_is_of(model, &model->holders[i], site))
            continue;
        count = owners_cycle(model, &model->holders[i], arena, &path);
        if (count < 2)
            continue;
        out->holder_path = path;
        out->holder_count = count;
        out->holder_growing = SIZE_MAX;
        return owners_text(path, count, owners_growing(path, count, 0), arena);
    }
    return NULL;
}

/* Why the latest search for this site has no answer. Unchanged if there was no search, or if
 * this is not known. */
static void set_unsearched(struct finding *out, const struct model *model, uint32_t site)
{
    for (size_t i = model->holder_count; i-- > 0 && site < model->site_count;) {
        const struct holder_record *record = &model->holders[i];

        if (record->state != HOLDER_FAILED || !holder_is_same(model, record, site))
            continue;
        out->unsearched_why = record->reason;
        out->unsearched_pause = record->pause_ns;
        return;
    }
}

enum reach reach_of(struct finding *out, const struct model *model, uint32_t site, uint64_t events,
                    struct places *places, struct arena *arena)
{
    const struct holder_record *record =
        site < model->site_count ? reach_record(model, site) : NULL;
    const char *root;

    out->held_by = NULL;
    out->unsearched_why = 0;
    if (site < model->site_count && site_is_tensor(model->sites[site].kind)) {
        out->tensor_holder = engine_holder(model, site);
        out->held_by = holder_words(out->tensor_holder, model->sites[site].kind == SITE_TENSOR_MANAGED);
        return REACH_HELD;
    }
    if (!record) {
        set_unsearched(out, model, site);
        return REACH_UNKNOWN;
    }
    /* A variable or a bounded cache holds only a few of the blocks, the youngest. So a holder
     * must reach a certain part of them. */
    if ((uint64_t)record->reached * RULE_HELD_PART >= record->targets &&
        name_owner(out, model, record, events, arena))
        return drop_full(out) ? REACH_UNKNOWN : REACH_HELD;
    /* A stale word in memory may seem to hold a few blocks, so most of them decide. Of one or
     * two blocks nothing can be said. */
    if ((uint64_t)record->reached * 2 < record->targets && record->targets < RULE_HELD_MIN)
        return REACH_UNKNOWN;
    if ((uint64_t)record->reached * 2 < record->targets)
        return collected_is_script(model, model->sites[site].stack) && !may_be_lost(model, record, site)
                   ? REACH_UNKNOWN
                   : REACH_LOST;
    out->held_by = managed_holder(model, site);
    if (!out->held_by) {
        root = root_name(record, places, arena);
        out->held_by = root ? path_text(record, root, arena) : NULL;
    }
    return REACH_HELD;
}

/* ---- which site's search is used ---- */

bool reach_is_at(const struct visit *visit, uint32_t site, const struct place *line)
{
    const struct place *places;
    size_t count;

    places_of(visit->places, visit->model->sites[site].stack, &places, &count);
    return count > 0 && place_same_line(places, line);
}

/* What two sites of one line have in common, the most first. Blocks of other sizes are likely held by the
 * same thing. Small objects of the interpreter less likely: a library has some of its own for each block. */
enum alike { ALIKE_SIZE, ALIKE_KIND, ALIKE_BLOCKS, ALIKE_LINE, ALIKE_COUNT };

static bool is_alike(const struct model_site *left, const struct model_site *right, enum alike alike)
{
    switch (alike) {
    case ALIKE_SIZE:
        return left->kind == right->kind && left->class_index == right->class_index;
    case ALIKE_KIND:
        return left->kind == right->kind;
    case ALIKE_BLOCKS:
        return (left->kind == SITE_OBJECT) == (right->kind == SITE_OBJECT);
    default:
        return true;
    }
}

/* The path proves little: it begins in native memory, leads through a number, or from a variable directly
 * into native memory. Such a value may be stale. */
static bool is_doubtful(const struct visit *visit, uint32_t site)
{
    const struct holder_record *record = reach_record(visit->model, site);
    const struct holder_step *path;
    const size_t count = record ? owners_path(visit->model, record, visit->arena, &path) : 0;

    if (count > 0 && (path[0].kind == OWNER_RUNTIME ||
                      holder_through_number(visit->model, (size_t)(record - visit->model->holders))))
        return true;
    if (count < 3 || path[count - 1].kind != OWNER_NATIVE)
        return false;
    /* A variable with nothing but native memory holds one thing, not one per step. */
    return (path[0].kind == OWNER_FRAME && path[1].kind == OWNER_PART) ||
           (count == 3 && path[1].length == 0);
}

/* The site of this line whose reliable search found most blocks, of several the latest; UINT32_MAX: none. */
static uint32_t known_at(const struct visit *visit, uint32_t site, const struct place *line,
                         enum alike alike)
{
    const struct model *model = visit->model;
    uint32_t best = UINT32_MAX, most = 0;

    for (size_t i = model->holder_count; i-- > 0;) {
        const uint32_t number = model->holders[i].site;

        if (number > 0 && model->holders[i].reached > most && reach_known(model, number - 1) &&
            is_alike(&model->sites[number - 1], &model->sites[site], alike) &&
            reach_is_at(visit, number - 1, line) && !is_doubtful(visit, number - 1)) {
            best = number - 1;
            most = model->holders[i].reached;
        }
    }
    return best;
}

uint32_t reach_searched_site(const struct visit *visit, uint32_t site, const struct place *line)
{
    const unsigned kinds = runtime_of(visit->model)->sizes_alike ? ALIKE_COUNT : ALIKE_SIZE + 1;
    uint32_t other = UINT32_MAX;

    if (!visit->places || !line || !line->line || !line->file ||
        (reach_known(visit->model, site) && !is_doubtful(visit, site)))
        return site;
    for (unsigned alike = 0; alike < kinds && other == UINT32_MAX; alike++)
        other = known_at(visit, site, line, (enum alike)alike);
    return other == UINT32_MAX ? site : other;
}
