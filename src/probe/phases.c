/* phases.c - see phases.h. Any thread may come; where two meet, the second is not waited for. */
#include "probe/phases.h"

static uint8_t busy;                 /* atomic: one thread at a time */
static struct phase_record *current; /* in the ledger; NULL: none yet, or there is no room for more */
static uint64_t last_work;           /* when the last stretch of work began */
static uint64_t longest;             /* stretch of work between two ticks of this phase */
static bool full;

/* The record is in the ledger from the start, and is changed there. */
static void begin(struct ledger *ledger, const struct phase_record *record)
{
    const uint32_t id = full ? 0 : ledger_append(ledger, SECTION_phases, record);

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
    __atomic_store_n(&current->work, current->work + current->after, __ATOMIC_RELAXED);
    __atomic_store_n(&current->after, 0, __ATOMIC_RELAXED);
}

static void tick(struct ledger *ledger, const struct phase_record *record)
{
    if (full || __atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
        return;
    if (is_current(record))
        note_tick();
    else
        begin(ledger, record);
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
    if (now - __atomic_load_n(&last_work, __ATOMIC_RELAXED) < PHASE_WORK_NS || full ||
        __atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&last_work, now, __ATOMIC_RELAXED);
    if (!current)
        begin(ledger, &(struct phase_record){.ordinal = 1, .time = now, .kind = PHASE_START});
    if (current)
        __atomic_store_n(&current->after, current->after + 1, __ATOMIC_RELAXED);
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

void phases_reset(void)
{
    busy = 0;
    current = NULL;
    last_work = longest = 0;
    full = false;
}
