/* holders.c - see holders.h; the order of things follows docs/holders.md. */
#include "probe/holders.h"

#include <string.h>
#include <sys/wait.h>

#include "ledger/mailbox.h"
#include "ledger/pieces.h"
#include "probe/copy.h"
#include "probe/host.h"
#include "probe/modules.h"
#include "probe/own.h"
#include "probe/python_view.h"
#include "probe/raw.h"
#include "probe/refusal.h"
#include "probe/regions.h"
#include "probe/search.h"
#include "probe/spare_stack.h"
#include "probe/stack_python.h"
#include "probe/step.h"
#include "probe/thread.h"

#define MAIN_FRAME (64 * 1024) /* bytes below main's caller that are read for what main held */

static struct search_task *task; /* shared pages, made at the first search */
static uintptr_t main_below;     /* main has returned; its frame is above this. 0: it runs */
static pid_t copy;               /* 0: none is at work */

void holders_main_returned(uintptr_t frame)
{
    main_below = frame - MAIN_FRAME;
}

/* ---- preparing ---- */

static void add_target(struct search_site *site, uint64_t start, uint64_t end)
{
    if (site->count < SEARCH_TARGETS)
        site->targets[site->count++] = (struct search_target){start, end};
}

static void heap_targets(struct ledger *ledger, struct search_site *site, uint32_t number)
{
    const uint64_t used = __atomic_load_n(&ledger_entry(ledger, SECTION_live)->used, __ATOMIC_ACQUIRE);
    const struct live_key *keys = ledger_records(ledger, SECTION_live);
    const struct block_record *blocks = ledger_records(ledger, SECTION_blocks);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t address = __atomic_load_n(&keys[i].address, __ATOMIC_ACQUIRE);

        if (address > 1 && blocks[i].site == number)
            add_target(site, address, address + blocks[i].size);
    }
}

static void map_targets(struct ledger *ledger, struct search_site *site, uint32_t number)
{
    const uint64_t used = __atomic_load_n(&ledger_entry(ledger, SECTION_maps)->used, __ATOMIC_ACQUIRE);
    const struct map_record *maps = ledger_records(ledger, SECTION_maps);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t start = __atomic_load_n(&maps[i].start, __ATOMIC_ACQUIRE);

        if (start && maps[i].site == number)
            add_target(site, start, start + maps[i].length);
    }
}

/* The site's answer begins as "searching": if the copy dies, that is what stays. */
static bool prepare_site(struct ledger *ledger, struct search_site *site, uint32_t number)
{
    const struct holder_record first = {.time = raw_now(),
                                        .ordinal = step_ordinal(),
                                        .site = number,
                                        .state = HOLDER_SEARCHING};
    const struct site_record *records = ledger_records(ledger, SECTION_sites);
    struct holder_record *answers;
    uint64_t kind;
    uint32_t id;

    if (number == 0 || number > ledger_entry(ledger, SECTION_sites)->used)
        return false;
    site->count = 0;
    site->owner_count = 0;
    site->array.kind = 0;
    site->taken = false;
    kind = records[number - 1].key & 0xff;
    site->maps = kind != SITE_HEAP && kind != SITE_OBJECT;
    if (site->maps)
        map_targets(ledger, site, number);
    else
        heap_targets(ledger, site, number);
    id = site->count ? ledger_append(ledger, SECTION_holders, &first) : 0;
    answers = ledger_records(ledger, SECTION_holders);
    site->answer = id ? &answers[id - 1] : NULL;
    return id != 0;
}

static uint64_t ledger_resident(const struct ledger *ledger)
{
    uint64_t bytes = 0, length;
    void *start;

    for (unsigned i = 0; pieces_next(ledger, i, &start, &length); i++)
        bytes += length ? regions_resident((uintptr_t)start, (uintptr_t)start + length) : 0;
    return bytes;
}

/* What a fork wipes is gone in the copy, so the probe's own pages are counted here. */
static void prepare_account(struct ledger *ledger)
{
    const struct resident_record first = {.time = raw_now(),
                                          .ordinal = step_ordinal(),
                                          .state = HOLDER_SEARCHING,
                                          .probe = own_resident(),
                                          .ledger = ledger_resident(ledger)};
    const uint32_t id = ledger_append(ledger, SECTION_residents, &first);
    struct resident_record *records = ledger_records(ledger, SECTION_residents);

    regions_close();
    task->account = id ? &records[id - 1] : NULL;
}

_Static_assert(SEARCH_SITES == MAILBOX_SITES, "whatever is asked has its place");

static bool prepare(struct ledger *ledger, const uint64_t argument[4])
{
    if (!task)
        task = raw_map_shared(sizeof(*task));
    if (!task)
        return false;
    task->site_count = 0;
    task->ledger = ledger;
    task->python = python_view_now();
    task->interpreted = stack_python_is_here();
    task->awaited = ledger->head->state == STATE_LAST_ROUND;
    for (unsigned i = 0; i < SEARCH_SITES; i++)
        if (prepare_site(ledger, &task->sites[task->site_count], mailbox_site(argument, i)))
            task->site_count++;
    task->stack_count = thread_stack_tops(task->stack_tops, SEARCH_STACKS);
    task->own_stack_low = main_below ? main_below : (uintptr_t)__builtin_frame_address(0);
    spare_stack_range(&task->skip_start, &task->skip_end);
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
    if (copy || !prepare(ledger, argument))
        return false;
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

/* The copy cannot write texts into the ledger: the program would write at the same time. */
static void write_owners(struct ledger *ledger, const struct search_site *site)
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
                                            .number = owner->number,
                                            .length = owner->length,
                                            .bound = owner->bound,
                                            .hits = owner->hits,
                                            .misses = owner->misses};

        (void)ledger_append(ledger, SECTION_owners, &record);
    }
}

static void write_array(struct ledger *ledger, const struct search_site *site)
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
}

/* An answer is complete before the copy has come to its end. */
static void take_answers(struct ledger *ledger)
{
    for (unsigned i = 0; i < task->site_count; i++) {
        struct search_site *site = &task->sites[i];

        if (site->taken || __atomic_load_n(&site->answer->state, __ATOMIC_ACQUIRE) != HOLDER_DONE)
            continue;
        site->taken = true;
        name_root(site->answer);
        write_owners(ledger, site);
        write_array(ledger, site);
    }
}

static uint32_t reason_of(int status)
{
    const uint32_t reason = __atomic_load_n(&task->watch.reason, __ATOMIC_ACQUIRE);

    return reason ? reason : WIFSIGNALED(status) ? UNSEARCHED_signal : UNSEARCHED_heap;
}

/* The pages that the program had to copy, or to be given back, are time of its own. */
static uint64_t charge_faults(void)
{
    const uint64_t ns = cost_of_faults(__atomic_load_n(&task->watch.faults, __ATOMIC_ACQUIRE));

    for (unsigned i = 0; i < task->site_count; i++)
        task->sites[i].answer->pause_ns += ns;
    return ns;
}

enum holders_progress holders_poll(struct ledger *ledger, uint64_t *pause_ns)
{
    uint32_t reason = 0;
    int status = 0;
    long ended;

    *pause_ns = 0;
    if (!copy)
        return HOLDERS_IDLE;
    ended = syscall(SYS_wait4, copy, &status, WNOHANG | __WALL, NULL);
    take_answers(ledger);
    if (ended == 0)
        return HOLDERS_BUSY;
    copy = 0;
    *pause_ns = charge_faults();
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
    return reason ? HOLDERS_FAILED : HOLDERS_FINISHED;
}

void holders_abandon(uint32_t reason)
{
    pid_t child = __atomic_load_n(&copy, __ATOMIC_ACQUIRE);

    if (child == 0 || task->watch.parent != (pid_t)syscall(SYS_getpid))
        return; /* a child of the program's own, made without fork handlers, has no copy */
    child = __atomic_exchange_n(&copy, 0, __ATOMIC_ACQ_REL);
    if (child == 0)
        return;
    copy_kill(child);
    for (unsigned i = 0; i < task->site_count; i++) {
        struct holder_record *answer = task->sites[i].answer;

        if (__atomic_load_n(&answer->state, __ATOMIC_ACQUIRE) != HOLDER_SEARCHING)
            continue;
        answer->reason = reason;
        __atomic_store_n(&answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
    }
}

bool holders_answered(void)
{
    for (unsigned i = 0; copy && i < task->site_count; i++)
        if (!task->sites[i].taken)
            return false;
    return true;
}

void holders_reset(void)
{
    copy = 0;
    task = NULL; /* the parent's: shared with it, so not ours to use */
}
