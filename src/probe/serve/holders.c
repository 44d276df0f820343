/* holders.c - see holders.h; the order of things follows docs/internals/holders.md. */
#include "probe/serve/holders.h"

#include <string.h>
#include <sys/wait.h>

#include "base/invariant.h"
#include "ledger/mailbox.h"
#include "ledger/pieces.h"
#include "probe/copy/copy.h"
#include "probe/copy/host.h"
#include "probe/copy/regions.h"
#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/spare_stack.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/python/python_view.h"
#include "probe/python/stack_python.h"
#include "probe/record/costs.h"
#include "probe/search/search.h"
#include "probe/serve/refusal.h"
#include "probe/unwind/modules.h"

#define MAIN_FRAME (64 * 1024) /* bytes below main's caller that are read for what main held */

static struct search_task *task; /* shared pages, made at the first search */
static uintptr_t main_below;     /* main has returned; its frame is above this. 0: it runs */
static pid_t copy;               /* 0: none is at work */
static uint32_t hopeless;        /* why the latest search failed; 0: another may succeed */
static enum cost_kind cost_kind; /* of the latest copy: a search, or the account alone */

void holders_main_returned(uintptr_t frame)
{
    main_below = frame - MAIN_FRAME;
}

/* ---- preparing ---- */

/* The site's answer begins as "searching": if the copy dies, that is what stays. False: no room for one. */
static bool prepare_answer(struct ledger *ledger, struct search_site *site)
{
    const struct holder_record first = {.time = raw_now(),
                                        .ordinal = state_ordinal(),
                                        .site = site->number,
                                        .state = HOLDER_SEARCHING};
    const uint32_t id = ledger_append(ledger, SECTION_holders, &first);
    struct holder_record *answers = ledger_records(ledger, SECTION_holders);

    site->owner_count = 0;
    site->array.kind = 0;
    site->taken = site->answered = false;
    site->answer = id ? &answers[id - 1] : NULL;
    return id != 0;
}

static uint64_t ledger_resident(const struct ledger *ledger)
{
    uint64_t bytes = 0, length;
    void *start;

    for (unsigned i = 0; pieces_next(&ledger->pieces, ledger->head, i, &start, &length); i++)
        bytes += length ? regions_resident((uintptr_t)start, (uintptr_t)start + length) : 0;
    return bytes;
}

static uint64_t probe_resident(void)
{
    uintptr_t start, end;
    uint64_t bytes = 0;

    for (uint32_t i = 0; own_area(i, &start, &end); i++)
        bytes += start ? regions_resident(start, end) : 0;
    return bytes;
}

/* What a fork wipes is gone in the copy, so the probe's own pages are counted here. */
static void prepare_account(struct ledger *ledger)
{
    const struct resident_record first = {.time = raw_now(),
                                          .ordinal = state_ordinal(),
                                          .state = HOLDER_SEARCHING,
                                          .probe = probe_resident(),
                                          .ledger = ledger_resident(ledger)};
    const uint32_t id = ledger_append(ledger, SECTION_residents, &first);
    struct resident_record *records = ledger_records(ledger, SECTION_residents);

    regions_close();
    task->account = id ? &records[id - 1] : NULL;
}

/* The program's stack ends here, at a word that the copy does not need. `word`: in the caller's frame. */
static void prepare_stack(const uint64_t *word)
{
    const uintptr_t here = (uintptr_t)word, left = spare_stack_user(here);

    task->planted_at = main_below ? 0 : left ? left : here;
    task->own_stack_low = main_below ? main_below : task->planted_at;
    spare_stack_range(&task->skip_start, &task->skip_end);
}

static bool prepare(struct ledger *ledger, const uint64_t argument[4], const uint64_t *word)
{
    unsigned answers = 0;

    if (!task)
        task = raw_map_shared(sizeof(*task));
    if (!task)
        return false;
    task->ledger = ledger;
    task->python = python_view_now();
    task->interpreted = stack_python_is_here();
    task->innermost = stack_python_innermost();
    task->awaited = ledger->head->state == STATE_LAST_ROUND;
    targets_choose(task, ledger, argument, state_ordinal());
    while (answers < task->site_count && prepare_answer(ledger, &task->sites[answers]))
        answers++;
    task->site_count = answers;
    task->stack_count = thread_stack_tops(task->stack_tops, SEARCH_STACKS);
    prepare_stack(word);
    prepare_account(ledger);
    return task->site_count > 0 || task->account;
}

/* ---- the copy ---- */

static void fail_all(uint32_t reason)
{
    for (unsigned i = 0; i < task->site_count; i++) {
        task->sites[i].answer->reason = reason;
        __atomic_store_n(&task->sites[i].answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
    }
}

/* What the copy has left open. */
static void fail_open(uint32_t reason)
{
    for (unsigned i = 0; i < task->site_count; i++) {
        struct holder_record *answer = task->sites[i].answer;

        if (__atomic_load_n(&answer->state, __ATOMIC_ACQUIRE) != HOLDER_SEARCHING)
            continue;
        answer->reason = answer->reason ? answer->reason : reason;
        __atomic_store_n(&answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
    }
}

static void search(void)
{
    (void)search_run(task); /* what it leaves open has failed */
}

static void fill_watch(const struct cost *cost, const uint64_t *headroom)
{
    task->watch = (struct copy_watch){.room = cost->room,
                                      .faults_most = cost->faults_most,
                                      .faults_rate = cost_fault_rate(),
                                      .headroom = headroom,
                                      .headroom_least = COST_HEADROOM_LEAST};
}

bool holders_begin(struct ledger *ledger, const uint64_t argument[4], const struct cost *cost,
                   const uint64_t *headroom, uint64_t *pause_ns)
{
    const uint64_t begin = raw_now();
    pid_t child;

    *pause_ns = 0;
    if (copy || !prepare(ledger, argument, pause_ns))
        return false;
    cost_kind = mailbox_site(argument, 0) ? COST_holders : COST_account;
    fill_watch(cost, headroom);
    cost_before_copy();
    child = copy_make(&task->watch, search);
    cost_after_copy(cost->pages);
    if (!task->awaited) /* what a fault takes has just been measured */
        __atomic_store_n(&task->watch.faults_most, cost_faults_most(cost), __ATOMIC_RELEASE);
    *pause_ns = raw_now() - begin;
    for (unsigned i = 0; i < task->site_count; i++)
        task->sites[i].answer->pause_ns = *pause_ns;
    if (child < 0) {
        fail_all(UNSEARCHED_clone);
        refusal_note(ledger, UNSEARCHED_clone, 0, 0);
        return false;
    }
    INVARIANT(child > 0 && copy == 0);
    __atomic_store_n(&copy, child, __ATOMIC_RELEASE);
    if (host_is_waiting()) /* since we have asked */
        holders_abandon(UNSEARCHED_waiter);
    return true;
}

/* ---- afterwards, in the program ---- */

/* The copy knows addresses; modules are named here, where they are known. */
static void name_root(struct holder_record *answer)
{
    struct module_view view;

    if (answer->root != ROOT_MODULE || !modules_find((uintptr_t)answer->offset, false, &view) ||
        view.number == 0)
        return;
    answer->unit = __atomic_load_n(&modules_faces[view.number].unit, __ATOMIC_ACQUIRE);
    if (answer->unit)
        answer->offset -= modules_faces[view.number].base;
}

static uint32_t string_of(struct ledger *ledger, const char *text)
{
    return text[0] ? ledger_string(ledger, text, strlen(text)) : 0;
}

/* The copy cannot write texts into the ledger: the program would write at the same time. The bytes of the
 * records. */
static uint64_t write_owners(struct ledger *ledger, const struct search_site *site)
{
    const struct holder_record *first = ledger_records(ledger, SECTION_holders);
    const uint32_t count =
        site->owner_count < SEARCH_OWNERS ? site->owner_count : SEARCH_OWNERS;

    for (uint32_t i = 0; i < count; i++) {
        const struct search_owner *owner = &site->owners[i];
        const struct owner_record record = {.holder = (uint32_t)(site->answer - first) + 1,
                                            .position = i,
                                            .kind = owner->kind,
                                            .name = string_of(ledger, owner->name),
                                            .type = string_of(ledger, owner->type),
                                            .file = string_of(ledger, owner->file),
                                            .line = owner->line,
                                            .libraries_known = owner->libraries_known,
                                            .libraries_alone = owner->libraries_alone,
                                            .index = owner->index,
                                            .left_out = owner->left_out,
                                            .length = owner->length,
                                            .bound = owner->bound,
                                            .hits = owner->hits,
                                            .misses = owner->misses};

        (void)ledger_append(ledger, SECTION_owners, &record);
    }
    return count * sizeof(struct owner_record);
}

static uint64_t write_array(struct ledger *ledger, const struct search_site *site)
{
    const struct holder_record *first = ledger_records(ledger, SECTION_holders);
    const struct search_array *array = &site->array;
    struct array_record record = {.holder = (uint32_t)(site->answer - first) + 1,
                                  .kind = array->kind,
                                  .dtype = array->dtype,
                                  .dimensions = array->dimensions,
                                  .elements = array->elements,
                                  .bytes = array->bytes};

    memcpy(record.sizes, array->sizes, sizeof(record.sizes));
    if (array->kind)
        (void)ledger_append(ledger, SECTION_arrays, &record);
    return array->kind ? sizeof(record) : 0;
}

/* An answer is complete before the copy has come to its end. */
static void take_answers(struct ledger *ledger)
{
    for (unsigned i = 0; i < task->site_count; i++) {
        struct search_site *site = &task->sites[i];
        uint64_t bytes;

        if (site->taken || __atomic_load_n(&site->answer->state, __ATOMIC_ACQUIRE) != HOLDER_DONE)
            continue;
        site->taken = true;
        name_root(site->answer);
        bytes = sizeof(*site->answer) + write_owners(ledger, site) + write_array(ledger, site);
        costs_add(ledger, cost_kind, &(struct cost_record){.bytes = bytes});
    }
}

/* Of a copy that is gone: where only an addition was missing, the answer stands. */
static void take_answered(struct ledger *ledger)
{
    for (unsigned i = 0; i < task->site_count; i++) {
        struct search_site *site = &task->sites[i];

        if (!site->taken && site->answer->reason == 0 &&
            __atomic_load_n(&site->answered, __ATOMIC_ACQUIRE))
            __atomic_store_n(&site->answer->state, HOLDER_DONE, __ATOMIC_RELEASE);
    }
    take_answers(ledger);
}

/* Whether one site of the latest search has an answer. */
static bool any_taken(void)
{
    for (unsigned i = 0; i < task->site_count; i++)
        if (task->sites[i].taken)
            return true;
    return false;
}

static uint32_t reason_of(int status)
{
    const uint32_t reason = __atomic_load_n(&task->watch.reason, __ATOMIC_ACQUIRE);

    return reason ? reason : WIFSIGNALED(status) ? UNSEARCHED_signal : UNSEARCHED_heap;
}

/* The pages that the program had to copy, or to be given back, are time of its own. */
static uint64_t charge_faults(struct ledger *ledger)
{
    const uint64_t ns = cost_of_faults(__atomic_load_n(&task->watch.faults, __ATOMIC_ACQUIRE));

    costs_add(ledger, cost_kind, &(struct cost_record){.program_ns = ns, .pause_ns = ns});
    for (unsigned i = 0; i < task->site_count; i++)
        task->sites[i].answer->pause_ns += ns;
    return ns;
}

enum holders_progress holders_poll(struct ledger *ledger, uint64_t *pause_ns)
{
    uint32_t reason = 0;
    uint64_t worked;
    int status = 0;
    long ended;

    *pause_ns = 0;
    if (!copy)
        return HOLDERS_IDLE;
    ended = copy_collect(copy, &status, &worked);
    if (ended == 0) {
        take_answers(ledger);
        return HOLDERS_BUSY;
    }
    copy = 0;
    costs_add(ledger, cost_kind, &(struct cost_record){.copy_ns = worked});
    take_answered(ledger);
    *pause_ns = charge_faults(ledger);
    for (unsigned i = 0; i < task->site_count; i++) {
        struct holder_record *answer = task->sites[i].answer;

        if (task->sites[i].taken)
            continue;
        reason = answer->reason ? answer->reason : reason_of(status);
        answer->reason = reason;
        __atomic_store_n(&answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
    }
    if (reason)
        refusal_note(ledger, reason, 0, 0);
    hopeless = (reason == UNSEARCHED_partial || reason == UNSEARCHED_unproven) && !any_taken() ? reason : 0;
    return reason ? HOLDERS_FAILED : HOLDERS_FINISHED;
}

uint32_t holders_hopeless(void)
{
    return hopeless;
}

/* Async-signal-safe. */
static void end_copy(pid_t child)
{
    costs_add(task->ledger, cost_kind, &(struct cost_record){.copy_ns = copy_kill(child)});
}

void holders_settle(struct ledger *ledger)
{
    pid_t child;

    if (!__atomic_load_n(&copy, __ATOMIC_ACQUIRE) || task->watch.parent != (pid_t)syscall(SYS_getpid))
        return;
    child = __atomic_exchange_n(&copy, 0, __ATOMIC_ACQ_REL);
    if (child == 0)
        return;
    end_copy(child);
    take_answered(ledger);
    fail_open(UNSEARCHED_end);
}

void holders_abandon(uint32_t reason)
{
    pid_t child = __atomic_load_n(&copy, __ATOMIC_ACQUIRE);

    if (child == 0 || task->watch.parent != (pid_t)syscall(SYS_getpid))
        return; /* a child of the program's own, made without fork handlers, has no copy */
    child = __atomic_exchange_n(&copy, 0, __ATOMIC_ACQ_REL);
    if (child == 0)
        return;
    end_copy(child);
    fail_open(reason);
}

bool holders_answered(void)
{
    for (unsigned i = 0; copy && i < task->site_count; i++)
        if (!task->sites[i].taken)
            return false;
    return true;
}

void holders_forked(void)
{
    copy = 0;
    hopeless = 0;
    task = NULL; /* the parent's: shared with it, so not ours to use */
}
