/* gauges.c - see gauges.h. */
#include "probe/gauges.h"

#include <string.h>

#include "probe/life.h"
#include "probe/maps.h"
#include "probe/objects.h"
#include "probe/objects_pure.h"
#include "probe/interpreter.h"
#include "probe/raw.h"
#include "probe/step.h"
#include "probe/thread.h"

#define SHARE 333u           /* a reading may cost one part in this many of the time */
#define FREE_READINGS 48     /* the first ones are made at every step … */
#define FREE_COST_NS 200000u /* … if each costs no more than this */
#define EARLY_STEPS 64       /* later it is the doctor who asks */
#define EARLY_WINDOW 100     /* steps */
#define ARENAS_RISE (2u << 20) /* bytes */

static struct python_counts counts;
/* Each clock is compared with itself: within a step the number goes up and down. */
static struct objects_history histories[LEDGER_CLOCKS], *latest;
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

/* What the interpreter makes for an answer is no work of the program's. */
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
    begin = raw_worked(); /* others on this core are no cost of ours */
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
        objects_note_reading(latest, counts.blocks, ticks);
}

void gauges_act(struct ledger *ledger)
{
    const struct bell *bell = life_bell();

    objects_tick(ledger);
    if (opened || !fresh || !early || (bell && bell->observe) || !objects_grow(latest))
        return;
    opened = objects_watch(ledger, EARLY_WINDOW);
}

/* A loop that makes small objects alone comes by too seldom to be counted, let alone to be a clock:
 * then new arenas say that it keeps them, and as samples its objects are looked at often enough. */
void gauges_arenas(struct ledger *ledger)
{
    const uint64_t bytes = maps_bytes(SITE_ARENA);
    const struct bell *bell = life_bell();

    if (arenas_at == 0)
        arenas_at = bytes;
    if (bytes < arenas_at + ARENAS_RISE || (bell && bell->observe))
        return;
    arenas_at = bytes;
    opened = objects_watch(ledger, EARLY_WINDOW) || opened;
}

void gauges_fill(uint64_t gauges[LEDGER_GAUGES])
{
    gauges[GAUGE_python_blocks] = counts.blocks;
    gauges[GAUGE_python_collections] = counts.collections;
    gauges[GAUGE_python_full] = counts.full;
    gauges[GAUGE_python_arenas] = maps_bytes(SITE_ARENA);
    gauges[GAUGE_python_watched] = objects_watched();
}

void gauges_reset(void)
{
    memset(&counts, 0, sizeof(counts));
    memset(histories, 0, sizeof(histories));
    readings = next_reading = cost = arenas_at = 0;
    fresh = early = opened = false;
    objects_reset();
}
