/* gauges.c - see gauges.h. */
#include "probe/lines/gauges.h"

#include <string.h>

#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/lines/small_objects.h"
#include "probe/lines/small_objects_pure.h"
#include "probe/python/interpreter.h"
#include "probe/record/maps.h"
#include "probe/record/step.h"

#define SHARE 333u           /* a reading may cost one part in this many of the time */
#define FREE_READINGS 48     /* the first readings, this many, are made at every step */
#define FREE_COST_NS 200000u /* that holds only if each costs no more than this */
#define EARLY_STEPS 64       /* later it is the doctor who asks */
#define EARLY_WINDOW 100     /* steps */
#define ARENAS_RISE (2u << 20) /* bytes */

static uint64_t reported[LEDGER_GAUGES];         /* atomic */
static const double *reported_at[LEDGER_GAUGES]; /* atomic; NULL: as in `reported` */
static struct python_counts counts;
/* Each clock is compared with itself: within a step the number goes up and down. */
static struct small_objects_history histories[LEDGER_CLOCKS], *latest;
static uint64_t readings;
static uint64_t next_reading, cost;
static bool fresh; /* the last tick has read */
static bool early; /* that clock has ticked for few steps yet */
static bool opened; /* the early window */
static uint64_t arenas_at; /* bytes of arenas when nothing ticked; 0: not looked at yet */

static bool is_due(uint64_t now)
{
    return now >= next_reading || (readings < FREE_READINGS && cost < FREE_COST_NS);
}

void gauges_read_now(void)
{
    (void)interpreter_counts(&counts);
}

/* What the interpreter allocates for an answer does not count as work of the program. */
static bool read_counts(void)
{
    struct thread *thread = thread_self;
    bool known;

    if (thread)
        thread->busy++;
    known = interpreter_counts(&counts);
    if (thread)
        thread->busy--;
    return known;
}

void gauges_read(enum clock_id clock)
{
    const uint64_t now = raw_now(), ticks = step_count(clock) + 1;
    uint64_t begin, spent;

    fresh = is_due(now);
    if (!fresh)
        return;
    begin = raw_worked(); /* time of other threads on this core is not our cost */
    fresh = read_counts();
    if (!fresh)
        return;
    spent = raw_worked() - begin;
    cost = cost ? (cost * 3 + spent) / 4 : spent;
    next_reading = now + spent + cost * SHARE;
    readings++;
    latest = &histories[clock];
    early = ticks <= EARLY_STEPS;
    if (latest->count == 0 || ticks > latest->steps[latest->count - 1])
        small_objects_note_reading(latest, counts.blocks, ticks);
}

void gauges_act(struct ledger *ledger)
{
    const struct bell *bell = state_bell();

    small_objects_tick(ledger);
    if (opened || !fresh || !early || (bell && bell->observe) || !small_objects_grow(latest))
        return;
    opened = small_objects_watch(ledger, EARLY_WINDOW);
}

/* A loop that makes only small objects is seen too seldom to be counted, or to be a clock. New
 * arenas show that it keeps them, and with samples its objects are examined often enough. */
void gauges_arenas(struct ledger *ledger)
{
    const uint64_t bytes = maps_bytes(SITE_ARENA);
    const struct bell *bell = state_bell();

    if (arenas_at == 0)
        arenas_at = bytes;
    if (bytes < arenas_at + ARENAS_RISE || (bell && bell->observe))
        return;
    arenas_at = bytes;
    opened = small_objects_watch(ledger, EARLY_WINDOW) || opened;
}

void gauges_set(uint32_t gauge, uint64_t value)
{
    if (gauge < LEDGER_GAUGES)
        __atomic_store_n(&reported[gauge], value, __ATOMIC_RELAXED);
}

void gauges_set_at(uint32_t gauge, const double *where)
{
    if (gauge < LEDGER_GAUGES)
        __atomic_store_n(&reported_at[gauge], where, __ATOMIC_RELEASE);
}

/* The adapter writes there at any time: a value of eight bytes is never torn. */
uint64_t gauges_reported(unsigned gauge)
{
    const double *where = __atomic_load_n(&reported_at[gauge], __ATOMIC_ACQUIRE);
    double value = 0;

    if (where) {
        __atomic_load(where, &value, __ATOMIC_RELAXED);
        return value > 0 && value < 1e18 ? (uint64_t)value : 0;
    }
    return __atomic_load_n(&reported[gauge], __ATOMIC_RELAXED);
}

void gauges_fill(uint64_t gauges[LEDGER_GAUGES])
{
    for (unsigned i = 0; i < LEDGER_GAUGES; i++)
        gauges[i] = gauges_reported(i);
    gauges[GAUGE_python_blocks] = counts.blocks;
    gauges[GAUGE_python_collections] = counts.collections;
    gauges[GAUGE_python_full] = counts.full;
    gauges[GAUGE_python_arenas] = maps_bytes(SITE_ARENA);
    gauges[GAUGE_python_watched] = small_objects_watched();
}

void gauges_forked(void)
{
    memset(reported, 0, sizeof(reported));
    memset(reported_at, 0, sizeof(reported_at));
    memset(&counts, 0, sizeof(counts));
    memset(histories, 0, sizeof(histories));
    readings = next_reading = cost = arenas_at = 0;
    fresh = early = opened = false;
}
