/* phases.c - see phases.h. Any thread may come; where two meet, the second is not waited for. */
#include "probe/record/phases.h"

#include "probe/core/raw.h"

#define LOOK_NS 1000000u /* at most so often is the processor time read: a system call */

static uint8_t busy;                 /* atomic: one thread at a time */
static struct phase_record *current; /* in the ledger; NULL: none yet, or there is no room for more */
static uint64_t last_look;           /* atomic: when the processor time was last read */
static uint64_t ours;                /* atomic: processor time that requests took */
static uint64_t counted;             /* processor time that belongs to ticks or to earlier phases */
static uint64_t longest;             /* stretch of work between two ticks of this phase */
static bool full;

/* Of all threads: work is often done in others, while the one that ticks waits for them. */
static uint64_t processor_time(void)
{
    return raw_clock(CLOCK_PROCESS_CPUTIME_ID) - __atomic_load_n(&ours, __ATOMIC_RELAXED);
}

void phases_ours(uint64_t worked)
{
    (void)__atomic_add_fetch(&ours, worked, __ATOMIC_RELAXED);
}

/* The record is in the ledger from the start, and is changed there. */
static void begin(struct ledger *ledger, const struct phase_record *record)
{
    const uint32_t id = full ? 0 : ledger_append(ledger, SECTION_phases, record);

    if (current)
        counted += current->after;
    full = id == 0;
    longest = 0;
    current = full ? NULL : (struct phase_record *)ledger_records(ledger, SECTION_phases) + id - 1;
}

static bool is_current(const struct phase_record *other)
{
    return current && current->kind == other->kind && current->unit == other->unit &&
           current->offset == other->offset;
}

/* What was done since the tick before this one is work of the phase, too. */
static void note_tick(void)
{
    if (current->after == 0)
        return;
    if (current->after > longest) {
        __atomic_store_n(&current->pause, longest, __ATOMIC_RELAXED);
        longest = current->after;
    } else if (current->after > current->pause) {
        __atomic_store_n(&current->pause, current->after, __ATOMIC_RELAXED);
    }
    counted += current->after;
    __atomic_store_n(&current->work, current->work + current->after, __ATOMIC_RELAXED);
    __atomic_store_n(&current->after, 0, __ATOMIC_RELAXED);
}

/* The time since the last tick that was noted is work after it, until the next one comes. */
static void note_work(void)
{
    const uint64_t now = processor_time();

    if (current && now > counted)
        __atomic_store_n(&current->after, now - counted, __ATOMIC_RELAXED);
}

static void look(uint64_t now)
{
    if (now - last_look < LOOK_NS)
        return;
    __atomic_store_n(&last_look, now, __ATOMIC_RELAXED);
    note_work();
}

static void tick(struct ledger *ledger, const struct phase_record *record)
{
    if (full || __atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
        return;
    look(record->time);
    if (is_current(record))
        note_tick();
    else
        begin(ledger, record);
    if (current)
        __atomic_store_n(&current->last, record->time, __ATOMIC_RELAXED);
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

void phases_step(struct ledger *ledger, const struct phases_clocks *clocks, uint64_t now)
{
    tick(ledger, &(struct phase_record){.ordinal = clocks->ordinal,
                                        .time = now,
                                        .turns = clocks->turns,
                                        .around = clocks->around,
                                        .kind = PHASE_STEPS});
}

void phases_loop(struct ledger *ledger, const struct phases_clocks *clocks,
                 const struct loops_taken *taken, uint64_t now)
{
    tick(ledger, &(struct phase_record){.ordinal = clocks->ordinal,
                                        .time = now,
                                        .turns = clocks->turns,
                                        .around = clocks->around,
                                        .kind = PHASE_LOOP,
                                        .unit = taken->unit,
                                        .offset = taken->offset,
                                        .library = taken->library});
}

void phases_work(struct ledger *ledger, uint64_t now)
{
    if (now - __atomic_load_n(&last_look, __ATOMIC_RELAXED) < LOOK_NS || full ||
        __atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
        return;
    if (!current)
        begin(ledger, &(struct phase_record){.ordinal = 1, .time = now, .kind = PHASE_START});
    look(now);
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

void phases_end(void)
{
    if (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
        return;
    note_work();
    full = true;
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

void phases_forked(void)
{
    busy = 0;
    current = NULL;
    last_look = counted = ours = longest = 0;
    full = false;
}
