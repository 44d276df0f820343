/* requests.c - see requests.h. */
#include "probe/serve/requests.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/invariant.h"
#include "base/quiet.h"
#include "probe/copy/copy.h"
#include "probe/copy/cost.h"
#include "probe/copy/headroom.h"
#include "probe/copy/host.h"
#include "probe/core/next.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/core/thread_sums.h"
#include "probe/js/heap_pause_pure.h"
#include "probe/js/stack_js.h"
#include "probe/lines/gauges.h"
#include "probe/lines/small_objects.h"
#include "probe/python/python_view.h"
#include "probe/record/costs.h"
#include "probe/record/phases.h"
#include "probe/record/rate.h"
#include "probe/record/step.h"
#include "probe/search/search.h"
#include "probe/serve/asking.h"
#include "probe/serve/first_search.h"
#include "probe/serve/greeting.h"
#include "probe/serve/holders.h"
#include "probe/serve/refusal.h"
#include "probe/serve/snapshots.h"

#define PAUSE_FREE_NS 500000000u /* interventions may always take this long in total */
#define PAUSE_SHARE 100          /* and in addition one part in this many of the elapsed time */

/* A series of collections follows a requested one while the heap rises. It takes at most one part in
 * FOLLOW_SHARE of the time. */
#define FOLLOW_SHARE 24
#define FOLLOW_NS 200000000u       /* nanoseconds between two collections of a series, at least */
#define FOLLOW_STEPS 32            /* steps between two of them, at least: the program must have worked */
#define FOLLOW_MOST_NS 1000000000u /* where steps are slow, so many nanoseconds are enough instead */
#define FOLLOW_RISE 16384          /* a series continues while each collection leaves so many bytes more */
#define FOLLOW_MUCH 524288         /* where one leaves so many bytes more, the next comes twice as fast */
#define OWN_SEARCH MAILBOX_SLOTS /* instead of a slot: the probe itself began the search */
#define AWAIT_NS 2000000000u     /* how long the last round's end waits for a search */
#define ACCOUNT_NS 500000000u    /* how long it then waits for the search's account of memory */
#define MOMENT_NS 5000000        /* how long it sleeps between two looks, in nanoseconds */
#define TRY_NS 5000000u          /* a refused snapshot that took longer has stopped the program */

static uint8_t serving;     /* atomic: a thread serves requests; others do not wait for it */
static uint32_t seen_word;  /* the mailbox's futex word when requests were last read */
static uint64_t pause_ns;   /* atomic: the time that interventions took */
static uint64_t charged_ns; /* the time that interventions are charged with */
static uint64_t written_ns; /* time spent on a heap snapshot, made once; it has its own limit */
static int held_back = -1;  /* atomic: slot that only a tick of the adapter can serve; -1: none */
static int searching = -1;  /* slot of the request that a search will answer, or OWN_SEARCH; -1: none */
static struct {
    uint64_t last; /* time of the latest requested collection; 0: none */
    uint64_t step; /* ordinal of the step in which that collection came */
    uint64_t left; /* collections that are still to follow */
    uint64_t next; /* the next one does not come before this time */
} follow; /* written by the thread that serves the interpreter's requests */
static int waiting = -1;    /* slot of a search that waits for the interpreter's lock; -1: none */

uint64_t requests_pause(void)
{
    return __atomic_load_n(&pause_ns, __ATOMIC_RELAXED);
}

void requests_forked(void)
{
    serving = 0;
    seen_word = 0;
    pause_ns = charged_ns = written_ns = 0;
    searching = waiting = held_back = -1;
    memset(&follow, 0, sizeof(follow));
}

static bool may_pause(const struct ledger *ledger)
{
    const struct bell *bell = state_bell();
    const uint64_t elapsed = raw_now() - ledger->head->start_mono;
    const uint64_t most =
        elapsed / PAUSE_SHARE > PAUSE_FREE_NS ? elapsed / PAUSE_SHARE : PAUSE_FREE_NS;

    return !(bell && bell->observe) && charged_ns < most + written_ns;
}

/* The last round has its own limit, and nothing waits for the program's next step. */
static bool may_search(const struct ledger *ledger)
{
    const struct bell *bell = state_bell();
    const bool last =
        __atomic_load_n(&ledger->head->state, __ATOMIC_RELAXED) == STATE_LAST_ROUND;

    return may_pause(ledger) || (last && !(bell && bell->observe));
}

/* A kind of request has the same number among the costs. */
#define REQUEST(number, name, argument, answer, says)                                              \
    _Static_assert((int)COST_##name == (int)REQUEST_##name, #name);
#include "ledger/requests.def"
#undef REQUEST

static void charge(uint64_t pause, uint64_t charged)
{
    (void)__atomic_add_fetch(&pause_ns, pause, __ATOMIC_RELAXED);
    charged_ns += charged;
}

static bool do_trim(struct intervention_record *record)
{
    if (next.trim)
        record->trimmed = (uint32_t)next.trim(0);
    return next.trim != NULL;
}

static bool do_collect(struct intervention_record *record)
{
    const long found = asking_collect();

    record->unreachable = found < 0 ? 0 : (uint64_t)found;
    return found >= 0;
}

/* What a pause is charged with: a thread that gets no processor would have waited without us, too. Threads
 * that help it may take as much again. */
static uint64_t charge_of(uint64_t pause, uint64_t worked)
{
    return pause < 2 * worked ? pause : 2 * worked;
}

static uint64_t snapshot_most; /* of the request that is being served */

/* A heap is written when a user requested it, however long that takes. */
static bool may_write(const struct ledger *ledger)
{
    return may_search(ledger) || snapshots_pause_most(true) == HEAP_PAUSE_ANY;
}

/* One that took some time to refuse has stopped the program. */
static void refuse_snapshot(struct ledger *ledger, uint64_t time, uint64_t worked)
{
    const uint64_t pause = raw_now() - time, work = raw_worked() - worked;

    if (pause >= TRY_NS) {
        phases_ours(work);
        charge(pause, charge_of(pause, work));
        written_ns += charge_of(pause, work);
    }
    snapshots_record(ledger, time, pause >= TRY_NS ? pause : 0);
}

static enum request_state refuse_unwritten(struct ledger *ledger)
{
    if (snapshots_pause_most(true) > 0) {
        snapshots_refuse(UNSEARCHED_spent, 0, 0);
        snapshots_record(ledger, raw_now(), 0);
    }
    return REQUEST_REFUSED;
}

/* Beside the ledger, by the same name; in the directory that we have open and have seen to be ours. */
static bool do_snapshot(struct intervention_record *record)
{
    struct ledger *ledger = state_ledger_now();
    char name[LEDGER_NAME_MAX], path[2 * LEDGER_NAME_MAX];
    struct stat file;
    uint32_t suspected = 0;
    int directory;
    bool done;

    if (!asking_may() || !ledger)
        return false;
    directory = state_open_directory();
    if (directory < 0)
        return false;
    ledger_name(name, ledger->head->pid, ledger->head->generation, SNAPSHOT_SUFFIX);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", directory, name);
    done = asking_snapshot(path, snapshot_most, &suspected);
    record->suspected_object = suspected;
    if (done && syscall(SYS_newfstatat, directory, name, &file, AT_SYMLINK_NOFOLLOW) == 0)
        costs_add(ledger, COST_snapshot, &(struct cost_record){.bytes = (uint64_t)file.st_size});
    quiet_close(directory);
    return done;
}

static enum cost_kind cost_of(enum intervention_kind kind)
{
    return kind == INTERVENTION_TRIM      ? COST_trim
           : kind == INTERVENTION_COLLECT ? COST_collect
                                          : COST_snapshot;
}

/* One intervention, measured before and after. */
static enum request_state intervene(struct ledger *ledger, enum intervention_kind kind,
                                    bool (*act)(struct intervention_record *), uint64_t answer[4])
{
    struct intervention_record record = {.kind = (uint32_t)kind, .ordinal = state_ordinal()};
    const uint64_t began = raw_worked();
    struct thread_sums sums;
    uint64_t charged, worked;

    if (kind == INTERVENTION_SNAPSHOT ? !may_write(ledger) : !may_pause(ledger))
        return kind == INTERVENTION_SNAPSHOT ? refuse_unwritten(ledger) : REQUEST_REFUSED;
    snapshots_begin();
    thread_sum(&sums);
    record.live_before = sums.live_bytes;
    record.resident_before = step_resident();
    record.time = raw_now();
    if (!act(&record)) {
        if (kind == INTERVENTION_SNAPSHOT)
            refuse_snapshot(ledger, record.time, began);
        return REQUEST_REFUSED;
    }
    record.pause_ns = raw_now() - record.time;
    thread_sum(&sums);
    record.live_after = sums.live_bytes;
    record.resident_after = step_resident();
    worked = raw_worked() - began;
    phases_ours(worked);
    charged = charge_of(record.pause_ns, worked);
    charge(record.pause_ns, charged);
    written_ns += kind == INTERVENTION_SNAPSHOT ? charged : 0;
    (void)ledger_append(ledger, SECTION_interventions, &record);
    costs_add(ledger, cost_of(kind), &(struct cost_record){.bytes = sizeof(record)});
    answer[0] = kind != INTERVENTION_TRIM ? 1 : record.trimmed;
    return REQUEST_DONE;
}

/* 0, or the reason against a search (enum unsearched). */
static uint32_t predict(const struct ledger *ledger, struct cost *cost)
{
    const bool last =
        __atomic_load_n(&ledger->head->state, __ATOMIC_RELAXED) == STATE_LAST_ROUND;
    struct thread_sums sums;
    uint32_t reason;

    thread_sum(&sums);
    reason = cost_predict(cost, &(struct cost_ask){.blocks = sums.live_blocks,
                                                   .block_bytes = SEARCH_BLOCK_BYTES,
                                                   .headroom = headroom_now(state_bell()),
                                                   .python = python_view_now() != NULL,
                                                   .last = last});
    if (!next_may_have_headers())
        return UNSEARCHED_allocator;
    if (!may_search(ledger))
        return UNSEARCHED_spent;
    if (!last && holders_hopeless())
        return holders_hopeless();
    return reason ? reason : host_forbids_copy();
}

/* The answer comes when the copy of the process has found it. */
static bool begin_search(struct ledger *ledger, const uint64_t argument[4])
{
    const struct bell *bell = state_bell();
    struct cost cost;
    uint64_t pause = 0, worked;
    uint32_t reason;
    bool begun;

    if (bell && bell->observe)
        return false;
    reason = predict(ledger, &cost);
    if (reason) {
        refusal_write(ledger, argument, reason, cost.resident,
                      reason == UNSEARCHED_pause ? cost.pause_ns : 0);
        return false;
    }
    worked = raw_worked();
    begun = holders_begin(ledger, argument, &cost, bell ? &bell->headroom : NULL, &pause);
    worked = raw_worked() - worked;
    phases_ours(worked);
    charge(pause, charge_of(pause, worked));
    return begun;
}

static void search_unasked(struct ledger *ledger)
{
    struct costs_meter meter;
    uint64_t argument[4];
    bool begun;

    if (!first_search_ripe() || !python_view_now() || !may_pause(ledger) ||
        !first_search_due(ledger, argument))
        return;
    meter = costs_begin(requests_pause());
    begun = begin_search(ledger, argument);
    costs_end(ledger, COST_holders, &meter, requests_pause(), begun);
    if (begun) {
        INVARIANT(searching < 0);
        searching = OWN_SEARCH;
    }
}

static uint64_t next_after(uint64_t spent, bool soon)
{
    const uint64_t wait = FOLLOW_SHARE * spent;

    return raw_now() + (wait > FOLLOW_NS ? wait : FOLLOW_NS) / (soon ? 2 : 1);
}

/* One collection. Returns whether others follow: while the heap is larger than after the last
 * one, collect again until it is not, or the count is used up. */
static enum request_state collect_once(struct ledger *ledger, uint64_t more, uint64_t answer[4])
{
    const struct costs_meter meter = costs_begin(requests_pause());
    const bool first = !follow.last;
    const uint64_t kept = gauges_reported(GAUGE_heap_kept);
    const enum request_state state = intervene(ledger, INTERVENTION_COLLECT, do_collect, answer);
    const uint64_t now = gauges_reported(GAUGE_heap_kept);

    if (state == REQUEST_DONE) {
        follow.last = raw_now();
        follow.step = state_ordinal();
    }
    follow.left = state == REQUEST_DONE && (first || now >= kept + FOLLOW_RISE) ? more : 0;
    follow.next = next_after(raw_worked() - meter.worked, first || now >= kept + FOLLOW_MUCH);
    costs_end(ledger, COST_collect, &meter, requests_pause(), state == REQUEST_DONE);
    return state;
}

/* Has the program come on since the latest? */
static bool has_worked(uint64_t now)
{
    return state_ordinal() >= follow.step + FOLLOW_STEPS || now >= follow.last + FOLLOW_MOST_NS;
}

static bool is_next(void)
{
    const uint64_t now = raw_now();

    return follow.left && now >= follow.next && has_worked(now);
}

/* While some follow one another, the latest will do. */
static enum request_state collect_asked(struct ledger *ledger, uint64_t more, uint64_t answer[4])
{
    if (!follow.left || is_next())
        return collect_once(ledger, more, answer);
    follow.left = more;
    answer[0] = 1;
    return REQUEST_DONE;
}

static void follow_up(struct ledger *ledger)
{
    uint64_t answer[4] = {0};

    if (is_next())
        (void)collect_once(ledger, follow.left - 1, answer);
}

static enum request_state carry_out(struct ledger *ledger, const struct request *request,
                                    uint64_t answer[4])
{
    static const uint64_t no_sites[4];

    switch ((enum request_kind)request->kind) {
    case REQUEST_rate:
        answer[0] = rate_set(request->argument[0]);
        return REQUEST_DONE;
    case REQUEST_watch:
        answer[0] = rate_focus(request->argument[0], state_ordinal());
        return REQUEST_DONE;
    case REQUEST_trim:
        return intervene(ledger, INTERVENTION_TRIM, do_trim, answer);
    case REQUEST_collect:
        return collect_asked(ledger, request->argument[0], answer);
    case REQUEST_snapshot:
        snapshot_most = request->argument[0];
        return intervene(ledger, INTERVENTION_SNAPSHOT, do_snapshot, answer);
    case REQUEST_objects:
        if (state_bell() && state_bell()->observe)
            return REQUEST_REFUSED;
        answer[0] = small_objects_watch(ledger, request->argument[0]);
        return REQUEST_DONE;
    case REQUEST_holders:
        return begin_search(ledger, request->argument) ? REQUEST_TAKEN : REQUEST_REFUSED;
    case REQUEST_account:
        return begin_search(ledger, no_sites) ? REQUEST_TAKEN : REQUEST_REFUSED;
    }
    return REQUEST_REFUSED; /* asked by a newer doctor */
}

/* Collections and windows on small objects are counted where they begin: not all are requested. */
static enum request_state carry_out_measured(struct ledger *ledger, const struct request *request,
                                             uint64_t answer[4])
{
    const struct costs_meter meter = costs_begin(requests_pause());
    const enum request_state state = carry_out(ledger, request, answer);

    if (request->kind < COST_KINDS && request->kind != REQUEST_collect && request->kind != REQUEST_objects)
        costs_end(ledger, (enum cost_kind)request->kind, &meter, requests_pause(),
                  state != REQUEST_REFUSED);
    return state;
}

/* One search at a time. The objects of an interpreter hold still only for the thread that has its lock:
 * at a step of the program one has. In the last round nothing better will come. */
static bool waits(const struct ledger *ledger, const struct request *request)
{
    if (request->kind != REQUEST_holders)
        return false;
    return searching >= 0 ||
           (ledger->head->state != STATE_LAST_ROUND && python_view_must_wait());
}

static void serve_slot(struct ledger *ledger, struct mailbox *mail, int slot)
{
    const struct request request = mail->slots[slot];
    uint64_t answer[4] = {0};
    enum request_state state;

    if (waits(ledger, &request) && (waiting < 0 || waiting == slot)) {
        waiting = slot;
        return;
    }
    waiting = waiting == slot ? -1 : waiting; /* a second one is refused, if need be */
    state = carry_out_measured(ledger, &request, answer);
    if (state == REQUEST_TAKEN) {
        INVARIANT(searching < 0 && waiting != slot);
        searching = slot;
    } else {
        mailbox_answer(mail, state_bell(), slot, state, answer);
    }
}

/* ---- what needs the interpreter's lock waits for a tick of the adapter ---- */

static bool needs_interpreter(uint32_t kind)
{
    return kind == REQUEST_collect || kind == REQUEST_objects || kind == REQUEST_snapshot;
}

/* False: another request is waiting already, or no adapter is here to serve it. */
static bool wait_for_tick(int slot)
{
    int nobody = -1;

    return greeting_is_here() &&
           __atomic_compare_exchange_n(&held_back, &nobody, slot, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* No thread will come: the last round of a program whose interpreter does not take part in it,
 * or ticks that have stopped. */
static void refuse_late(struct ledger *ledger, struct mailbox *mail)
{
    static const uint64_t nothing[4];
    int slot = __atomic_load_n(&held_back, __ATOMIC_ACQUIRE);
    const uint32_t state = __atomic_load_n(&ledger->head->state, __ATOMIC_RELAXED);

    if (slot < 0 || (state != STATE_LAST_ROUND && raw_now() <= mail->slots[slot].deadline))
        return;
    if (__atomic_compare_exchange_n(&held_back, &slot, -1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        mailbox_answer(mail, state_bell(), slot, REQUEST_REFUSED, nothing);
}

bool requests_wait(void)
{
    return (__atomic_load_n(&held_back, __ATOMIC_RELAXED) >= 0 ||
            (follow.left && stack_js_is_here() && is_next())) &&
           asking_in_charge();
}

void requests_serve_waiting(struct ledger *ledger)
{
    struct mailbox *mail = state_mailbox();
    const int slot = __atomic_exchange_n(&held_back, -1, __ATOMIC_ACQ_REL);

    if (mail && slot >= 0)
        serve_slot(ledger, mail, slot);
    else
        follow_up(ledger);
}

static void poll_search(struct ledger *ledger, struct mailbox *mail)
{
    enum holders_progress progress;
    uint64_t pause;

    if (searching < 0)
        return;
    progress = holders_poll(ledger, &pause);
    charge(pause, pause);
    if (progress == HOLDERS_BUSY)
        return;
    if (searching != OWN_SEARCH)
        mailbox_answer(mail, state_bell(), searching, REQUEST_DONE,
                       (const uint64_t[4]){progress == HOLDERS_FINISHED});
    searching = -1;
}

static void serve_all(struct ledger *ledger, struct mailbox *mail)
{
    uint32_t word;
    int slot;

    if (requests_wait() && asking_may())
        requests_serve_waiting(ledger);
    refuse_late(ledger, mail);
    poll_search(ledger, mail);
    if (waiting >= 0 && searching < 0)
        serve_slot(ledger, mail, waiting);
    if (searching < 0 && ledger->head->state != STATE_LAST_ROUND)
        search_unasked(ledger);
    word = __atomic_load_n(&mail->word, __ATOMIC_ACQUIRE);
    if (word == seen_word)
        return;
    seen_word = word;
    while ((slot = mailbox_take(mail, raw_now())) >= 0)
        if (!needs_interpreter(mail->slots[slot].kind) || asking_may() ||
            !wait_for_tick(slot))
            serve_slot(ledger, mail, slot);
}

void requests_serve(struct ledger *ledger)
{
    struct mailbox *mail = state_mailbox();
    const uint64_t now = raw_now();

    if (!mail || __atomic_test_and_set(&serving, __ATOMIC_ACQUIRE))
        return; /* another thread is at it */
    headroom_look(state_bell(), now);
    cost_note_faults(now);
    serve_all(ledger, mail);
    __atomic_clear(&serving, __ATOMIC_RELEASE);
}

void requests_await(struct ledger *ledger)
{
    struct totals_record *totals = ledger_records(ledger, SECTION_totals);
    uint64_t end = raw_now() + AWAIT_NS;
    bool answered = false;

    while (searching >= 0 && raw_now() < end) {
        uint64_t pause;

        if (!answered && holders_answered()) {
            answered = true;
            end = raw_now() + ACCOUNT_NS < end ? raw_now() + ACCOUNT_NS : end;
        }
        quiet_sleep(MOMENT_NS);
        if (holders_poll(ledger, &pause) != HOLDERS_BUSY)
            searching = -1;
        charge(pause, pause);
    }
    if (searching >= 0)
        holders_settle(ledger);
    searching = -1;
    __atomic_store_n(&totals->pause_ns, requests_pause(), __ATOMIC_RELAXED);
}
