/* heap_path.c - see heap_path.h. */
#include "doctor/held/heap_path.h"

#include <string.h>

#include "base/text.h"
#include "doctor/measure/collected.h"
#include "doctor/source/as_run.h"
#include "doctor/source/places.h"
#include "doctor/facts/runtimes.h"
#include "ledger/site_kind.h"
#include "ledger/writer.h"
#include "snapshot/way.h"

/* ---- the file ---- */

/* The latest heap snapshot; NULL: none was taken. */
static const struct intervention_record *snapshot_taken(const struct model *model)
{
    for (size_t i = model->intervention_count; i-- > 0;)
        if (model->interventions[i].kind == INTERVENTION_SNAPSHOT)
            return &model->interventions[i];
    return NULL;
}

static int load_file(struct snapshot **out, const struct visit *visit, struct why *why)
{
    const struct ledger_header *head = &visit->model->head;
    char name[LEDGER_NAME_MAX];

    ledger_name(name, head->pid, head->generation, SNAPSHOT_SUFFIX);
    return snapshot_load_file(out, visit->run->directory, name, why);
}

/* ---- the question ---- */

static bool is_heap(const struct finding *finding)
{
    return finding->kind == KIND_retained && finding->holder_count == 0 && finding->heap;
}

/* The finding's memory was allocated by JavaScript code, so it may belong to ArrayBuffers. */
static bool is_buffer(const struct visit *visit, const struct finding *finding)
{
    const struct model *model = visit->model;
    const struct model_site *site = finding->site ? &model->sites[finding->site - 1] : NULL;

    return finding->kind == KIND_retained && finding->holder_count == 0 && site &&
           site->kind == SITE_HEAP && collected_is_script(model, site->stack);
}

/* The finding is about tensors that the framework's own tables do not hold, so the program may
 * hold them. */
static bool is_tensor(const struct visit *visit, const struct finding *finding)
{
    const struct model_site *site = finding->site ? &visit->model->sites[finding->site - 1] : NULL;

    return finding->kind == KIND_retained && finding->holder_count == 0 && site &&
           site_is_tensor(site->kind) && finding->held_by && finding->tensor_holder == TENSOR_FREE;
}

/* How many tensors there were when the heap snapshot was taken. */
static double tensors_then(const struct model *model, uint32_t site, uint64_t ordinal)
{
    double units = 0;

    for (size_t i = 0; i < model->block_count; i++)
        if (model->blocks[i].site == site && model->blocks[i].birth < ordinal && model->blocks[i].size > 0)
            units += (double)model->blocks[i].weight / (double)model->blocks[i].size;
    return units;
}

/* Sets the range of sizes to look for: those of the live blocks. A block may be up to 64 bytes
 * larger than its request. */
static void ask_sizes(struct retain_question *question, const struct model *model, uint32_t site)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (block->site != site)
            continue;
        least = block->size < least ? block->size : least;
        most = block->size > most ? block->size : most;
    }
    question->least = least > 64 && least < UINT32_MAX ? (uint32_t)least - 64 : 1;
    question->most = most > 0 && most < NODE_SIZE_MOST ? (uint32_t)most : NODE_SIZE_MOST;
}

/* ---- the answer ---- */

static const char *kept(struct arena *arena, const char *text)
{
    const char *copy = text[0] ? arena_text(arena, text, strlen(text)) : "";

    return copy ? copy : "";
}

static uint32_t kind_of(enum way_kind kind)
{
    switch (kind) {
    case WAY_VARIABLE:
    case WAY_GLOBAL:
    case WAY_PROPERTY:
        return OWNER_ATTRIBUTE;
    case WAY_LOCAL:
    case WAY_CAPTURED:
        return OWNER_CLOSURE;
    case WAY_TIMER:
    case WAY_NATIVE:
    case WAY_ROOT:
        return OWNER_RUNTIME;
    case WAY_ELEMENT:
        return OWNER_INDEX;
    case WAY_VALUE:
        return OWNER_KEY;
    case WAY_KEY:
        return OWNER_KEY_ITSELF;
    case WAY_LISTENERS:
    case WAY_CALLBACKS:
    case WAY_CLOSURE:
    case WAY_PART:
        break;
    }
    return OWNER_PART;
}

static const char *step_name(struct arena *arena, const struct way_step *step)
{
    if (step->kind == WAY_LISTENERS)
        return step->name[0] ? arena_print(arena, "'%s' listeners", step->name) : "listeners";
    if (step->kind == WAY_CALLBACKS)
        return "callbacks";
    if (step->kind == WAY_CLOSURE && !step->name[0] && step->function[0])
        return arena_print(arena, "closure in %s", step->function);
    if (step->kind == WAY_TIMER)
        return "timers that are waiting";
    if (step->kind == WAY_NATIVE)
        return WAY_NATIVE_NAME;
    return kept(arena, step->name);
}

/* If the path begins with a variable, writes the function or module of the variable as a step
 * before it. Returns the number of steps written. */
static size_t put_root(struct holder_step *out, const struct way_step *step, struct arena *arena)
{
    const bool global = step->kind == WAY_GLOBAL;

    if (step->kind != WAY_VARIABLE && step->kind != WAY_LOCAL && !global)
        return 0;
    *out = (struct holder_step){.kind = global                       ? OWNER_RUNTIME
                                        : step->kind == WAY_VARIABLE ? OWNER_MODULE
                                                                     : OWNER_FRAME,
                                .name = global ? "global" : kept(arena, step->function),
                                .type = "",
                                .file = kept(arena, step->file),
                                .line = step->line,
                                .column = step->column};
    return 1;
}

static void put_path(struct finding *out, const struct way *way, struct arena *arena)
{
    struct holder_step *path = arena_take(arena, WAY_STEPS + 1, sizeof(*path));
    size_t count;

    if (!path || way->count == 0)
        return;
    count = put_root(path, &way->steps[0], arena);
    out->holder_growing =
        way->growing < way->count ? way->growing + count : SIZE_MAX;
    for (size_t i = 0; i < way->count; i++) {
        const struct way_step *step = &way->steps[i];
        const char *name = step_name(arena, step);

        path[count++] = (struct holder_step){.kind = kind_of(step->kind),
                                             .name = name ? name : "",
                                             .type = kept(arena, step->type),
                                             .file = kept(arena, step->file),
                                             .line = step->line,
                                             .column = step->column,
                                             .length = i == way->growing ? way->objects : 0};
    }
    out->holder_path = path;
    out->holder_count = count;
}

/* The engine names a module by the URL of its file. This turns URLs into paths. */
static void use_paths(struct way *way)
{
    char path[sizeof(way->steps[0].file)];

    for (size_t i = 0; i < way->count; i++) {
        struct way_step *step = &way->steps[i];

        if (as_run_path(step->file, strlen(step->file), path, sizeof(path)))
            memcpy(step->file, path, strlen(path) + 1);
    }
}

/* Replaces file and line of the script that ran with those of its original source, for the text.
 * The finding's path keeps those of the script, because the search for the store line needs
 * them. */
static void use_originals(struct way *way, const struct visit *visit)
{
    for (size_t i = 0; i < way->count; i++) {
        struct way_step *step = &way->steps[i];
        const char *file = step->file;

        if (places_original(visit->places, &file, &step->line, step->column) &&
            strlen(file) < sizeof(step->file))
            memcpy(step->file, file, strlen(file) + 1);
    }
}

static void use(struct finding *out, struct visit *visit, const struct snapshot *snapshot,
                const struct retain_way *found)
{
    struct way *way = arena_take(visit->arena, 1, sizeof(*way));
    struct text words = {0};

    if (!way)
        return;
    way_tell(way, snapshot, found);
    if (way->count == 0 || way->steps[0].kind == WAY_ROOT)
        return; /* the engine's own tables do not count as a holder */
    use_paths(way);
    put_path(out, way, visit->arena);
    use_originals(way, visit);
    way_text(&words, way);
    out->held_by = arena_text(visit->arena, text_string(&words), words.length);
    text_free(&words);
    fact_add(out, FACT_OF(held_in_snapshot, way->objects, way->bytes,
                          100 * found->bytes / found->asked_bytes));
}

/* ---- native memory of small objects ---- */

/* What is_program_container() needs. */
struct handles {
    const struct snapshot *snapshot; /* the snapshot that is searched */
    struct way *way;                 /* room for one path */
};

/* The path leads from a variable of the program, not of a library, to a container. */
static bool is_program_container(const struct retain_way *found, void *data)
{
    const struct handles *handles = data;
    const struct way *way = handles->way;

    way_tell(handles->way, handles->snapshot, found);
    return way->count > 0 && way->growing < way->count &&
           (way->steps[0].kind == WAY_VARIABLE || way->steps[0].kind == WAY_LOCAL) &&
           way->steps[0].file[0] && !runtimes_script(way->steps[0].file);
}

/* Sets how many objects to look for: one for each step that left blocks, or one for each block.
 * False: too few steps left blocks. */
static bool ask_many(struct retain_many *question, const struct visit *visit, uint32_t site,
                     const struct intervention_record *record)
{
    const struct model *model = visit->model;
    const double ticks = (double)series_tick(&visit->series, record->ordinal);
    double births = 0, blocks = tensors_then(model, site, record->ordinal);
    uint64_t latest = UINT64_MAX;

    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (block->site != site || block->birth >= record->ordinal || block->birth == latest)
            continue;
        latest = block->birth;
        births++;
    }
    blocks = blocks < ticks ? blocks : ticks;
    question->fewest = (uint64_t)(births * 0.8);
    question->most = (uint64_t)((blocks > births ? blocks : births) * 1.25) + 1;
    return births >= RULE_SURVIVORS;
}

static void answer_many(struct finding *out, struct visit *visit, const struct snapshot *snapshot,
                        const struct retain *retain, const struct intervention_record *record)
{
    struct handles handles = {snapshot, arena_take(visit->arena, 1, sizeof(struct way))};
    struct retain_many question = {
        .since = (uint32_t)record->suspected_object, .accept = is_program_container, .data = &handles};
    struct retain_way found = {.count = 0};
    struct why why;

    if (!handles.way || !ask_many(&question, visit, out->site, record))
        return;
    if (retain_find_many(&found, retain, &question, &why) == 1)
        use(out, visit, snapshot, &found);
    retain_way_free(&found);
}

static void answer(struct finding *out, struct visit *visit, const struct snapshot *snapshot,
                   const struct retain *retain, const struct intervention_record *record)
{
    const uint32_t since = (uint32_t)record->suspected_object;
    struct retain_question question = {.since = since, .least = 1, .most = NODE_SIZE_MOST};
    struct retain_way found;
    struct why why;
    double fewest = 0;

    if (is_buffer(visit, out)) {
        question.buffers = true;
        ask_sizes(&question, visit->model, out->site);
    } else if (is_tensor(visit, out)) {
        question.since = 0; /* a few tensors may not have made the heap suspect, so any age counts */
        question.name = "Tensor";
        fewest = tensors_then(visit->model, out->site, record->ordinal) / 2;
    } else if (!is_heap(out) || since == 0) {
        return; /* without ages, survivors cannot be separated from the objects of the set-up */
    }
    if (retain_find(&found, retain, &question, &why) == 1 && (double)found.objects > fewest)
        use(out, visit, snapshot, &found);
    else if (question.buffers)
        answer_many(out, visit, snapshot, retain, record);
    retain_way_free(&found);
}

static bool any_asked(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (is_heap(&visit->findings[i]) || is_buffer(visit, &visit->findings[i]) ||
            is_tensor(visit, &visit->findings[i]))
            return true;
    return false;
}

/* Why there is no snapshot; NULL: none was wanted, or the ledger does not say. */
static const struct intervention_record *snapshot_refused(const struct model *model)
{
    for (size_t i = model->intervention_count; i-- > 0;)
        if (model->interventions[i].kind == INTERVENTION_NO_SNAPSHOT)
            return &model->interventions[i];
    return NULL;
}

static void set_unsearched(struct visit *visit, const struct intervention_record *refused)
{
    for (size_t i = 0; refused && i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (!is_heap(finding) && !is_buffer(visit, finding) && !is_tensor(visit, finding))
            continue;
        finding->unsearched_why = (uint32_t)refused->unsearched;
        finding->unsearched_pause = refused->expected_ns;
        finding->unsearched_most = refused->most_ns;
    }
}

/* Snapshots that were begun, and given up because they would have taken too long. */
static void note_tries(struct visit *visit)
{
    const struct model *model = visit->model;
    uint64_t tries = 0, pause = 0;

    for (size_t i = 0; i < model->intervention_count; i++)
        if (model->interventions[i].kind == INTERVENTION_NO_SNAPSHOT) {
            tries += model->interventions[i].pause_ns > 0;
            pause += model->interventions[i].pause_ns;
        }
    if (tries)
        visit_note(visit, FACT_OF(note_snapshot_tries, tries, pause));
}

void heap_path_refused(struct visit *visit)
{
    if (!visit->runtime->own_heap)
        return;
    note_tries(visit);
    if (!snapshot_taken(visit->model))
        set_unsearched(visit, snapshot_refused(visit->model));
}

void heap_path_find(struct visit *visit)
{
    const struct intervention_record *record = snapshot_taken(visit->model);
    struct snapshot *snapshot = NULL;
    struct retain *retain = NULL;
    struct why why = {""};
    struct fact note;

    if (!record || !visit->runtime->own_heap)
        return;
    note = FACT_OF(note_snapshot, record->pause_ns);
    if (any_asked(visit) && visit->run && visit->run->directory) {
        if (load_file(&snapshot, visit, &why) != 0 || retain_new(&retain, snapshot, &why) != 0)
            note.text = arena_text(visit->arena, why.text, strlen(why.text));
        for (size_t i = 0; !note.text && i < visit->finding_count; i++)
            answer(&visit->findings[i], visit, snapshot, retain, record);
        retain_free(retain);
        snapshot_free(snapshot);
    }
    visit_note(visit, note);
}
