/* step.c - see step.h. */
#include "probe/record/step.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/quiet.h"
#include "ledger/levels.h"
#include "probe/core/call.h"
#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/spare_stack.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/python/loops.h"
#include "probe/record/maps.h"
#include "probe/record/phases.h"
#include "probe/record/rate.h"
#include "probe/record/site.h"
#include "probe/unwind/modules.h"

#define SLICE_NS 10000000u    /* a slice of time */
#define SILENCE_NS 1000000000u /* no slices are needed if another clock ticked this recently */
#define TURN_GAPS 8 /* for an event loop: no longer than this many of its turns */
#define TURN_NS 100000000u /* at least this: a script may do all its work in one turn */
#define RESIDENT_NS 20000000u  /* reading it costs about 8 µs: at most 0.04% */
#define MODULES_NS 200000000u
#define SPEND 200    /* a record may cost one part in this many of the time since the last */
#define SET_UP_SITES 16384 /* a quarter of the table: what is watched before a real step may fill it */
#define FREE_STEPS LEVELS_FIRST /* the first ones are recorded whatever they cost */

static uint64_t clocks[LEDGER_CLOCKS]; /* atomic */
static uint64_t recorded[LEDGER_CLOCKS]; /* as the last record has them */
static uint32_t ticked;                /* atomic: clocks since the last record */
static uint8_t writing;                /* atomic: one writer of records at a time */
static uint8_t looking;                /* atomic: one looks for a peak inside a step at a time */
static uint64_t last_reported; /* atomic: when a clock of the program or a framework ticked */
static uint64_t last_time, last_samples, last_resident, last_modules;
static uint64_t last_real; /* the last tick of any clock but time */
static uint64_t silent_until; /* no slices are cut before */
static uint64_t last_slice; /* one that was counted, and perhaps not recorded */
static uint64_t resident;
static bool over; /* atomic: the program has said so */
static uint64_t cost; /* nanoseconds of one record, smoothed */
static struct thread_sums sums;
static const struct step_calls *calls;

void step_setup(const struct step_calls *upper)
{
    calls = upper;
}

uint64_t step_count(enum clock_id clock)
{
    return __atomic_load_n(&clocks[clock], __ATOMIC_RELAXED);
}

const struct thread_sums *step_last_sums(void)
{
    return &sums;
}

uint64_t step_resident(void)
{
    const int fd = quiet_open(AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    char text[128];
    long length;
    uint64_t pages = 0;
    const char *at;

    if (fd < 0)
        return 0;
    length = quiet_read(fd, text, sizeof(text) - 1);
    quiet_close(fd);
    text[length > 0 ? length : 0] = '\0';
    at = strchr(text, ' ');
    while (at && *++at >= '0' && *at <= '9')
        pages = pages * 10 + (uint64_t)(*at - '0');
    return pages * 4096;
}

static uint64_t resident_by(uint64_t now)
{
    if (now - last_resident >= RESIDENT_NS) {
        resident = step_resident();
        maps_look_at_names();
        last_resident = now;
    }
    return resident;
}

static void look_for_peak(struct ledger *ledger, const struct thread_sums *now_sums, uint64_t now)
{
    const struct site_look look = {.ordinal = state_ordinal(),
                                   .live_bytes = now_sums->live_bytes > now_sums->slack
                                                     ? now_sums->live_bytes - now_sums->slack
                                                     : 0,
                                   .mapped_bytes = maps_bytes(SITE_MAP) + maps_bytes(SITE_SHARED) +
                                                   maps_bytes(SITE_ARENA),
                                   .resident = resident_by(now)};

    site_peak_look(ledger, &look);
}

/* ---- writing ---- */

static void write_totals(struct ledger *ledger, uint64_t now, const uint64_t gauges[LEDGER_GAUGES])
{
    struct totals_record *totals = ledger_records(ledger, SECTION_totals);

    (void)__atomic_add_fetch(&totals->sequence, 1, __ATOMIC_ACQ_REL);
    totals->time = now;
    totals->ordinal = state_ordinal();
    totals->threads_started = thread_started();
    totals->threads_ended = thread_ended();
    totals->mapped_bytes = maps_bytes(SITE_MAP);
    totals->shared_bytes = maps_bytes(SITE_SHARED);
    totals->reserved_bytes = maps_reserved();
    totals->probe_bytes = own_bytes();
    totals->pause_ns = calls->pause();
    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        totals->clock[i] = __atomic_load_n(&clocks[i], __ATOMIC_RELAXED);
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        totals->watched_since[c] = rate_watched_since(c);
    memcpy(totals->classes, sums.classes, sizeof(totals->classes));
    calls->write_totals(ledger, gauges);
    (void)__atomic_add_fetch(&totals->sequence, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&ledger->head->rate, rate_now(), __ATOMIC_RELAXED);
    __atomic_store_n(&ledger->head->watched, __atomic_load_n(&thread_watched, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&ledger->head->seen_mono, now, __ATOMIC_RELAXED);
}

static void fill_classes(struct step_record *record)
{
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const struct class_total *t = &sums.classes[c];
        const uint64_t live =
            t->born_blocks > t->dead_blocks ? t->born_blocks - t->dead_blocks : 0;

        record->class_blocks[c] = live < UINT32_MAX ? (uint32_t)live : UINT32_MAX;
    }
}

static void fill_record(struct step_record *record, uint64_t now, uint32_t which, bool last)
{
    const uint64_t samples = rate_samples();

    *record = (struct step_record){.first = state_ordinal(),
                                   .last = state_ordinal(),
                                   .time = now,
                                   .ticked = which,
                                   .live_bytes = sums.live_bytes,
                                   .live_min = sums.live_bytes,
                                   .live_max = sums.live_bytes,
                                   .live_blocks = sums.live_blocks,
                                   .allocated_bytes = sums.born_bytes,
                                   .allocated_blocks = sums.born_blocks,
                                   .mapped_bytes = maps_bytes(SITE_MAP),
                                   .shared_bytes = maps_bytes(SITE_SHARED),
                                   .resident = resident_by(now),
                                   .threads = thread_started() - thread_ended(),
                                   .sampled = samples - last_samples};
    for (unsigned i = 0; i < LEDGER_CLOCKS && !last; i++)
        recorded[i] = __atomic_load_n(&clocks[i], __ATOMIC_RELAXED);
    memcpy(record->clock, recorded, sizeof(recorded));
    fill_classes(record);
    calls->fill_gauges(record->gauges);
    last_samples = samples;
}

/* Of the clocks that are not of time. */
static uint64_t most_ticks(void)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        if (i != CLOCK_time && recorded[i] > most)
            most = recorded[i];
    return most;
}

/* Is the program being set up, as far as the probe can see? */
static bool is_set_up(uint64_t now)
{
    return state_loading(now) || (most_ticks() == 0 && site_count() >= SET_UP_SITES);
}

/* With the `writing` flag held. The last record is of no step: ticks that have none yet were before the
 * program let go of what its functions held, and what is there now is not what they left. */
static void write_record(struct ledger *ledger, uint64_t now, bool last)
{
    const uint32_t which = last ? 0 : __atomic_exchange_n(&ticked, 0, __ATOMIC_ACQ_REL);
    const bool real = which & ~(1u << CLOCK_time);
    const uint64_t ordinal = state_ordinal();
    struct step_record record;

    INVARIANT(__atomic_load_n(&writing, __ATOMIC_RELAXED)); /* one writer at a time */
    thread_sum(&sums);
    fill_record(&record, now, which, last);
    look_for_peak(ledger, &sums, now);
    (void)levels_append_step(ledger, &record);
    if (real)
        calls->stepped(ordinal, most_ticks(), sums.live_bytes);
    if (real || !is_set_up(now))
        rate_step(&sums, ordinal, record.sampled, now - last_time, real);
    else
        rate_wait(ordinal);
    last_time = now;
    state_next_ordinal();
    write_totals(ledger, now, record.gauges);
    if (now - last_modules >= MODULES_NS) {
        modules_check(ordinal + 1);
        calls->look(ledger, now);
        last_modules = now;
    }
}

static bool begin_writing(void)
{
    return !__atomic_test_and_set(&writing, __ATOMIC_ACQUIRE);
}

static void end_writing(void)
{
    __atomic_clear(&writing, __ATOMIC_RELEASE);
}

/* A tick whose record waits is in the ledger even if the program is killed. */
static void count_tick(struct ledger *ledger, enum clock_id clock, uint64_t count)
{
    struct totals_record *totals = ledger_records(ledger, SECTION_totals);

    __atomic_store_n(&totals->clock[clock], count, __ATOMIC_RELAXED);
}

/* The doctor is woken at steps 8, 16, 32 …: often enough early, rarely enough later. */
static void wake_doctor(uint64_t step)
{
    if (step >= 8 && (step & (step - 1)) == 0)
        bell_ring(state_bell());
}

static void record_now(struct ledger *ledger)
{
    const uint64_t now = raw_now();
    uint64_t spent;

    if (state_ordinal() > FREE_STEPS && now - last_time < cost * SPEND)
        return; /* the tick is counted; its record is the next one */
    if (!begin_writing()) {
        ledger_lose(ledger, LOST_busy, 1);
        return;
    }
    if (!thread_sum_due(now)) {
        end_writing();
        calls->serve(ledger);
        return;
    }
    write_record(ledger, now, false);
    wake_doctor(state_ordinal() - 1);
    end_writing();
    calls->serve(ledger);
    spent = raw_now() - now;
    cost = cost ? (cost * 7 + (spent < 10 * cost ? spent : cost * 2)) / 8 : spent;
}

static struct phases_clocks clocks_now(void)
{
    return (struct phases_clocks){state_ordinal(), step_count(CLOCK_loop), step_count(CLOCK_outer)};
}

/* For how long slices are needless after a tick. A single turn of an event loop is not a clock. */
static uint64_t silence_after(enum clock_id clock, uint64_t gap)
{
    if (clock != CLOCK_turn)
        return SILENCE_NS;
    if (gap >= SILENCE_NS)
        return 0;
    gap = gap * TURN_GAPS > TURN_NS ? gap * TURN_GAPS : TURN_NS;
    return gap < SILENCE_NS ? gap : SILENCE_NS;
}

static void note_real(enum clock_id clock, uint64_t now)
{
    const uint64_t gap = last_real != 0 && now > last_real ? now - last_real : 0;
    const uint64_t until = now + silence_after(clock, last_real != 0 ? gap : SILENCE_NS);

    silent_until = until > silent_until ? until : silent_until;
    last_real = now;
}

static void note_tick(void *context)
{
    const enum clock_id clock = *(const enum clock_id *)context;
    const uint64_t count = __atomic_add_fetch(&clocks[clock], 1, __ATOMIC_RELAXED);
    struct ledger *ledger;

    (void)__atomic_or_fetch(&ticked, 1u << clock, __ATOMIC_RELAXED);
    ledger = state_ledger();
    if (!ledger)
        return;
    count_tick(ledger, clock, count);
    if (clock != CLOCK_time)
        note_real(clock, raw_now());
    if (clock != CLOCK_time && clock != CLOCK_model && clock != CLOCK_epoch) {
        const struct phases_clocks before = clocks_now();

        phases_step(ledger, &before, last_real);
        __atomic_store_n(&last_reported, last_real, __ATOMIC_RELAXED);
    }
    record_now(ledger);
}

void step_tick(enum clock_id clock)
{
    const int saved = errno;
    struct thread *thread = call_enter();

    if (!thread)
        return;
    if (!spare_stack_call(note_tick, &clock))
        state_lose(LOST_stack_small, 1);
    thread->busy = 0;
    errno = saved;
}

bool step_has_clock(uint64_t now)
{
    const uint64_t last = __atomic_load_n(&last_reported, __ATOMIC_RELAXED);

    return last != 0 && (now < last || now - last < SILENCE_NS);
}

static void add_ticks(enum clock_id clock, unsigned ticks)
{
    (void)__atomic_add_fetch(&clocks[clock], ticks, __ATOMIC_RELAXED);
    (void)__atomic_or_fetch(&ticked, (ticks > 0 ? 1u : 0u) << clock, __ATOMIC_RELAXED);
}

void step_over(void)
{
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

/* The last round's own work does not count as work of the program. */
static bool is_over(const struct ledger *ledger)
{
    return __atomic_load_n(&over, __ATOMIC_RELAXED) ||
           __atomic_load_n(&ledger->head->state, __ATOMIC_RELAXED) >= STATE_LAST_ROUND;
}

/* Many turns of a library's loop stay unseen, so time is cut into slices as well. */
static bool slice_is_due(const struct ledger *ledger, const struct loops_taken *taken, uint64_t now)
{
    const bool turned = taken->turns + taken->around > 0;

    return now - last_slice >= SLICE_NS && now >= silent_until &&
           (turned || now - last_time >= SLICE_NS) && !is_over(ledger);
}

static void count_turns(struct ledger *ledger, const struct loops_taken *taken, uint64_t now)
{
    const struct phases_clocks before = clocks_now();

    if (!taken->library)
        note_real(CLOCK_loop, now);
    phases_loop(ledger, &before, taken, now);
    add_ticks(CLOCK_outer, taken->around);
    add_ticks(CLOCK_loop, taken->turns);
}

void step_slice(void)
{
    struct ledger *ledger = state_ledger_now();
    const uint64_t now = raw_now();
    struct loops_taken taken;
    bool turned, slice;

    loops_take(&taken);
    if (!ledger)
        return;
    phases_work(ledger, now);
    if (last_time == 0)
        last_time = now;
    turned = taken.turns + taken.around > 0 && !is_over(ledger);
    if (turned)
        count_turns(ledger, &taken, now);
    slice = slice_is_due(ledger, &taken, now);
    if (slice) {
        last_slice = now;
        add_ticks(CLOCK_time, 1);
    }
    if (turned || slice)
        record_now(ledger);
    else
        calls->serve(ledger);
}

static __attribute__((noinline)) void look_inside(struct ledger *ledger, uint64_t now)
{
    struct thread_sums now_sums;

    thread_sum(&now_sums);
    look_for_peak(ledger, &now_sums, now);
}

/* One thread at a time: the others would find what it finds. */
void step_look_for_peak(struct ledger *ledger)
{
    const uint64_t now = raw_now();

    if (__atomic_test_and_set(&looking, __ATOMIC_ACQUIRE))
        return;
    if (thread_sum_due(now))
        look_inside(ledger, now);
    __atomic_clear(&looking, __ATOMIC_RELEASE);
}

void step_finish(struct ledger *ledger)
{
    phases_end();
    if (!begin_writing())
        return;
    last_resident = 0;
    write_record(ledger, raw_now(), true);
    end_writing();
}

void step_forked(void)
{
    memset(clocks, 0, sizeof(clocks));
    memset(recorded, 0, sizeof(recorded));
    ticked = 0;
    writing = looking = 0;
    last_slice = 0;
    over = false;
    last_time = last_real = last_reported = silent_until = 0;
    last_samples = last_resident = last_modules = cost = 0;
}
