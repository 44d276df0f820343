/* facts.c - see facts.h. */
#include "doctor/run/facts.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/run/costs.h"
#include "doctor/run/devices.h"
#include "doctor/run/inherited.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/facts/pools.h"
#include "doctor/facts/process_end.h"
#include "doctor/facts/rules.h"
#include "ledger/model.h"

#define NOTES_MAX      50
#define ARENAS         "Python's small-object arenas"

static const char *copy(struct arena *arena, const char *text)
{
    return text ? arena_text(arena, text, strlen(text)) : NULL;
}

void facts_note(const char ***notes, size_t *count, const char *text, struct arena *arena)
{
    const char **list = arena_take(arena, *count + 1, sizeof(*list));

    if (!list)
        return;
    if (*count > 0)
        memcpy((void *)list, (const void *)*notes, *count * sizeof(*list));
    list[(*count)++] = text;
    *notes = list;
}

/* ---- how it ended ---- */

static void find_ending(struct process_report *report, const struct model *model,
                        const struct process_record *record, bool became_another)
{
    const bool over = record && record->end > 0;
    const bool known = over && record->status != STATUS_UNKNOWN;

    if (became_another) {
        report->ending = ENDING_EXEC;
    } else if (record && (record->flags & PROCESS_OOM_KILLED)) {
        report->ending = ENDING_NO_MEMORY;
    } else if (known && WIFSIGNALED((int)record->status)) {
        report->ending = ENDING_SIGNAL;
        report->ending_number = WTERMSIG((int)record->status);
    } else if (known) {
        report->ending = ENDING_STATUS;
        report->ending_number = WEXITSTATUS((int)record->status);
    } else if (model->head.state == STATE_ENDED) {
        report->ending = ENDING_EXIT;
    } else {
        report->ending = over ? ENDING_ABRUPT : record ? ENDING_RUNNING : ENDING_UNRECORDED;
    }
}

static const char *say_ending(const struct process_report *report, struct arena *arena)
{
    const char *name = report->ending == ENDING_SIGNAL ? sigabbrev_np(report->ending_number) : NULL;

    if (report->ending == ENDING_STATUS)
        return arena_print(arena, "exit %d", report->ending_number);
    if (report->ending == ENDING_SIGNAL)
        return name ? arena_print(arena, "killed by SIG%s", name)
                    : arena_print(arena, "killed by signal %d", report->ending_number);
    return ending_words(report->ending);
}

/* ---- numbers ---- */

static void fill_totals(struct process_report *report, const struct model *model)
{
    const struct totals_record *totals = &model->totals;
    uint64_t ended_at = model->head.seen_mono;

    for (unsigned i = 0; i < LEDGER_CLASSES; i++) {
        report->allocated_bytes += totals->classes[i].born_bytes;
        report->allocated_blocks += totals->classes[i].born_blocks;
    }
    report->live_bytes = model_live_bytes(model);
    report->live_blocks = model_live_blocks(model);
    report->mapped_bytes = totals->mapped_bytes;
    report->shared_bytes = totals->shared_bytes;
    report->threads = totals->threads_started - totals->threads_ended;
    report->pause_seconds = (double)totals->pause_ns / 1e9;
    if (totals->time > ended_at)
        ended_at = totals->time;
    report->start_time = model->head.start_mono;
    report->end_time = ended_at;
    if (ended_at > model->head.start_mono)
        report->seconds = (double)(ended_at - model->head.start_mono) / 1e9;
}

static void fill_samples(struct process_report *report, const struct model *model)
{
    report->rate = model->head.rate;
    for (size_t i = 0; i < model->site_count; i++)
        report->samples += model->sites[i].births;
    if (model->step_count > 0) {
        const struct step_record *last = &model->steps[model->step_count - 1];

        report->steps = last->last;
        report->threads = last->threads > 0 ? last->threads : report->threads;
    }
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What was seen from outside belongs to the pid: to its latest program only. */
static void fill_resident(struct process_report *report, const struct model *model,
                          const struct process_record *record)
{
    report->resident_peak = model->peak.resident;
    for (size_t i = 0; i < model->step_count; i++)
        report->resident_peak = larger(report->resident_peak, model->steps[i].resident);
    if (model->step_count > 0)
        report->resident_bytes = model->steps[model->step_count - 1].resident;
    if (record && record->resident_last > 0)
        report->resident_bytes = record->resident_last;
    if (record && model->head.generation == 0)
        report->resident_peak = larger(report->resident_peak, record->resident_peak);
    report->resident_peak = larger(report->resident_peak, report->resident_bytes);
}

static void fill_peak(struct process_report *report, const struct model *model)
{
    report->peak_bytes = model->peak.live_bytes + model->peak.mapped_bytes;
    report->peak_step = model->peak.ordinal;
    if (model->peak.number == 0)
        report->peak_bytes = larger(report->peak_bytes, report->live_bytes + report->mapped_bytes);
}

/* ---- the account ---- */

static const struct account_record *account_of(const struct run *run, const struct model *model)
{
    const struct account_record *found = NULL;

    for (size_t i = 0; run->own && i < run->own->account_count; i++) {
        const struct account_record *account = &run->own->accounts[i];

        if (account->pid == model->head.pid && account->generation == model->head.generation &&
            account->resident > 0)
            found = account;
    }
    return found;
}

/* The latest measurement of private memory that came to its end. */
static const struct resident_record *resident_of(const struct model *model)
{
    for (size_t i = model->resident_count; i-- > 0;)
        if (model->residents[i].state == HOLDER_DONE)
            return &model->residents[i];
    return NULL;
}

static uint64_t less(uint64_t from, uint64_t what)
{
    return from > what ? from - what : 0;
}

/* The first line is of an interpreter: without one it is left out. */
static void put_account(struct process_report *report, const struct account_line *lines,
                        size_t count, const struct account_record *account, struct arena *arena)
{
    uint64_t remainder = account->resident; /* a hostile ledger's numbers may wrap around */
    struct account_line *list = arena_take(arena, count, sizeof(*list));

    if (!list)
        return;
    if (lines[0].bytes == 0) {
        lines++;
        count--;
    }
    memcpy(list, lines, count * sizeof(*list));
    report->account = list;
    report->account_count = count;
    report->resident_bytes = account->resident;
    report->resident_peak = larger(report->resident_peak, account->resident);
    for (size_t i = 0; i < count; i++)
        remainder -= lines[i].bytes;
    report->account_remainder = (int64_t)remainder;
}

static uint64_t pools_live(const struct model *model)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < model->pool_count; i++)
        bytes += model->pools[i].record.live;
    return bytes;
}

/* What is in use of it is live, the rest is kept by the framework for later. */
static const char *pool_name(const struct model *model, struct arena *arena)
{
    char used[TEXT_SIZE_MAX];

    if (model->pool_count == 0)
        return "a framework's pool";
    return arena_print(arena, "%s's pool (%s of it in use)", model->pools[0].name,
                       text_size(used, pools_live(model)));
}

static uint64_t arenas_of(const struct model *model)
{
    return model->step_count ? model->steps[model->step_count - 1].gauges[GAUGE_python_arenas] : 0;
}

/* Without the copy's page-by-page measurement only what counters and the kernel know. */
static void fill_account_short(struct process_report *report, const struct model *model,
                               const struct account_record *account, struct arena *arena)
{
    const struct account_line lines[] = {
        {ARENAS, arenas_of(model), "the probe's counters"},
        {"live heap blocks", report->live_bytes, "the probe's counters"},
        {"live mappings", report->mapped_bytes, "the probe's counters"},
        {"file pages", account->file, "the kernel"},
        {"shared memory", account->shmem, "the kernel"},
        {"the probe", model->totals.probe_bytes, "the probe's counters"},
    };

    put_account(report, lines, sizeof(lines) / sizeof(lines[0]), account, arena);
}

/* The pools of libraries, each with a line of its own; their sum. */
static uint64_t add_pools(struct account_line *lines, size_t *count, const struct model *model)
{
    struct pool pools[POOLS_MAX];
    const size_t found = pools_of(model, pools);
    uint64_t sum = 0;

    for (size_t i = 0; i < found; i++) {
        if (pools[i].resident == 0)
            continue;
        lines[(*count)++] = (struct account_line){pools[i].name, pools[i].resident, "page map"};
        sum += pools[i].resident;
    }
    return sum;
}

/* Resident live blocks. A collection may come between the last step, which recorded the
 * counters, and the reading of the heap's chunks. If the chunks belong to the allocator that was
 * counted, live memory is at most what they hold. */
static uint64_t live_then(const struct process_report *report, const struct resident_record *r,
                          uint64_t handed_out)
{
    const uint64_t counted = less(less(report->live_bytes, handed_out), r->heap_untouched);

    return r->heap_blocks > report->live_blocks / 2 ? smaller(counted, r->heap_used) : counted;
}

/* Every line is measured by itself; what they leave unexplained is printed, never hidden. */
static void fill_account(struct process_report *report, const struct model *model,
                         const struct account_record *account, struct arena *arena)
{
    const struct resident_record *r = resident_of(model);

    if (r) {
        struct account_line pools[POOLS_MAX], all[16];
        size_t pool_count = 0, filled = 0;
        const uint64_t pooled = add_pools(pools, &pool_count, model);
        const uint64_t live = live_then(report, r, pools_live(model));
        /* The page map sees an arena as a mapping, or as a part of the library it lies behind. */
        const uint64_t arenas = smaller(arenas_of(model), r->mapped + r->modules);
        const uint64_t behind = less(arenas, r->mapped);
        const struct account_line lines[] = {
            {ARENAS, arenas, "the probe's counters"},
            {"live heap blocks", live, "the probe's counters, less untouched pages"},
            {"heap headers and thread caches", less(r->heap_used, live), "the heap's chunks"},
            {"free, kept by the allocator", r->heap_free, "the heap's chunks"},
            {"anonymous mappings", less(less(r->mapped, arenas), pooled), "page map"},
            {"stacks", r->stacks, "page map"},
            {"variables of modules", less(r->modules, behind), "page map"},
            {"file pages", less(account->file, r->ledger), "the kernel"},
            {"shared memory", account->shmem, "the kernel"},
            {"the probe", r->probe + r->ledger, "page map"},
            {pool_name(model, arena), r->pool, "page map"},
        };
        const size_t count = sizeof(lines) / sizeof(lines[0]);

        report->untouched_bytes = r->heap_untouched;
        for (size_t i = 0; i < (r->pool > 0 ? count : count - 1); i++)
            all[filled++] = lines[i];
        for (size_t i = 0; i < pool_count; i++)
            all[filled++] = pools[i];
        put_account(report, all, filled, account, arena);
    } else {
        fill_account_short(report, model, account, arena);
    }
}

/* ---- words ---- */

static void fill_losses(struct process_report *report, const struct model *model,
                        struct arena *arena)
{
    static const struct {
        unsigned number;
        const char *says;
    } reasons[] = {
#define LOST(number, name, says) {number, says},
#include "ledger/lost.def"
#undef LOST
    };
    struct loss *list = arena_take(arena, sizeof(reasons) / sizeof(reasons[0]), sizeof(*list));

    for (size_t i = 0; list && i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (model->lost[reasons[i].number] > 0)
            list[report->loss_count++] =
                (struct loss){reasons[i].says, model->lost[reasons[i].number]};
    report->losses = list;
}

/* The driver's library is loaded by whoever uses the device, and by nobody else. */
static bool uses_gpu(const struct model *model)
{
    for (size_t i = 0; i < model->module_count; i++)
        if (text_has(model->modules[i].path, "/libcuda.so"))
            return true;
    return false;
}

/* NULL: no device needs a note. */
static const char *device_note(const struct model *model, struct arena *arena)
{
    const struct device_record *device = model->device_count ? &model->devices[0].record : NULL;
    char used[TEXT_SIZE_MAX], spare[TEXT_SIZE_MAX];

    if (!devices_are_measured(model))
        return uses_gpu(model) ? "This program uses a GPU. The memory of the device is not measured: what is "
                                 "judged is the host's memory."
                               : NULL;
    if (device->seen) /* the report has a line for each */
        return NULL;
    return arena_print(arena,
                       "Of the device's memory %s are in use and %s more are kept for later, by the "
                       "framework's own count.",
                       text_size(used, device->used),
                       text_size(spare, device->taken > device->used ? device->taken - device->used : 0));
}

static void fill_notes(struct process_report *report, const struct model *model,
                       struct arena *arena)
{
    const size_t shown = model->note_count < NOTES_MAX ? model->note_count : NOTES_MAX;

    if (model->head.state == STATE_OFF)
        facts_note(&report->notes, &report->note_count,
                   arena_print(arena, "The probe switched itself off: %s.",
                               model->off_reason[0] ? model->off_reason : "no reason is recorded"),
                   arena);
    if (model->cut)
        facts_note(&report->notes, &report->note_count,
                   "The ledger is shorter than it says: what was at its end is missing.", arena);
    report->device_unmeasured = uses_gpu(model) && !devices_are_measured(model);
    if (device_note(model, arena))
        facts_note(&report->notes, &report->note_count, device_note(model, arena), arena);
    for (size_t i = 0; i < shown; i++)
        facts_note(&report->notes, &report->note_count, copy(arena, model->notes[i].text), arena);
    for (size_t i = 0; i < model->note_count; i++)
        if (model->notes[i].known == KNOWN_note_tried)
            report->remedy_note = arena_print(arena, "%s%s%s", report->remedy_note ? report->remedy_note : "",
                                              report->remedy_note ? " " : "", model->notes[i].text);
    if (shown < model->note_count)
        facts_note(
            &report->notes, &report->note_count,
            arena_print(arena, "%zu more notes are in the ledger.", model->note_count - shown),
            arena);
}

/* By how much the resident size rose in the second half of the intervals. */
static uint64_t late_rise(const struct model *model)
{
    const uint64_t half = model->step_count ? model->steps[model->step_count - 1].last / 2 : 0;
    uint64_t middle = 0, last = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        last = model->steps[i].resident;
        middle = model->steps[i].last <= half ? last : middle;
    }
    return middle ? less(last, middle) : 0;
}

void facts_pools(struct process_report *report, const struct model *model, struct arena *arena)
{
    const uint64_t rise = late_rise(model);
    struct pool pools[POOLS_MAX];
    const size_t count = rise >= RULE_POOL_RISE ? pools_of(model, pools) : 0;
    char risen[TEXT_SIZE_MAX], size[TEXT_SIZE_MAX];

    for (size_t i = 0; i < count; i++)
        if (pools[i].resident >= RULE_POOL_BYTES)
            facts_note(&report->notes, &report->note_count,
                       arena_print(arena,
                                   "Resident size rose by %s in the second half of the run, and %s has "
                                   "%s: what of it is in use is not seen from here%s%s%s.",
                                   text_size(risen, rise), pools[i].name,
                                   text_size(size, pools[i].resident),
                                   pools[i].code ? "; " : "", pools[i].code ? pools[i].code : "",
                                   pools[i].code ? " gives back what is not" : ""),
                       arena);
}

void facts_descriptors(struct process_report *report, const struct run *run, struct arena *arena)
{
    const struct process_record *record = process_end_record(run, report->pid);
    const uint64_t risen = record && record->descriptors_most > record->descriptors_first
                               ? record->descriptors_most - record->descriptors_first
                               : 0;

    if (risen < RULE_DESCRIPTORS || report->clock_count == 0 || report->clock == CLOCK_time ||
        (double)risen < RULE_DESCRIPTORS_STEP * (double)report->clock_count)
        return;
    facts_note(&report->notes, &report->note_count,
               arena_print(arena,
                           "Open files rose from %u to %u, about %.1f for each %s: tensors in shared "
                           "memory keep one each, and files that are not closed do.",
                           record->descriptors_first, record->descriptors_most,
                           (double)risen / (double)report->clock_count, clock_tick_name(report->clock)),
               arena);
}

void facts_fill(struct process_report *report, const struct model *model, const struct run *run,
                struct arena *arena)
{
    const bool became_another = process_end_replaced(run, model);
    const char *copied;
    const struct process_record *record = process_end_record(run, model->head.pid);
    const struct account_record *account = account_of(run, model);

    report->clock = CLOCK_NONE;
    report->pid = model->head.pid;
    report->parent_pid = model->head.parent_pid;
    report->generation = model->head.generation;
    report->program = copy(arena, model->program);
    report->command = copy(arena, model->command);
    report->allocator = copy(arena, model->allocator);
    report->cost = costs_of(model, arena);
    report->inherited_bytes = model->head.inherited ? model->head.forked_bytes : 0;
    find_ending(report, model, record, became_another);
    report->ended = say_ending(report, arena);
    fill_totals(report, model);
    fill_samples(report, model);
    fill_resident(report, model, became_another ? NULL : record);
    fill_peak(report, model);
    if (account)
        fill_account(report, model, account, arena);
    copied = inherited_note(report, model, account, arena);
    if (copied)
        facts_note(&report->notes, &report->note_count, copied, arena);
    fill_losses(report, model, arena);
    fill_notes(report, model, arena);
}
