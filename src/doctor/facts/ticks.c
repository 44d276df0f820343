/* ticks.c - see ticks.h. */
#include "doctor/facts/ticks.h"

#include <stddef.h>

struct words {
    const char *name, *tick, *ticks, *rate, *full;
};

static struct words words_of(enum clock_id clock)
{
    static const struct words known[LEDGER_CLOCKS] = {
#define CLOCK(number, name, tick, ticks, rate, full, says) [number] = {#name, tick, ticks, rate, full},
#include "ledger/clocks.def"
#undef CLOCK
    };

    return (unsigned)clock < LEDGER_CLOCKS && known[clock].name
               ? known[clock]
               : (struct words){NULL, "step", "steps", "step", "steps"};
}

const char *clock_name(enum clock_id clock)
{
    return words_of(clock).name;
}

const char *clock_name_shown(enum clock_id clock)
{
    const char *name = clock_name(clock);

    return name ? name : "none";
}

const char *clock_tick_name(enum clock_id clock)
{
    return words_of(clock).tick;
}

const char *clock_ticks_name(enum clock_id clock, uint64_t count)
{
    const struct words words = words_of(clock);

    return count == 1 ? words.tick : words.ticks;
}

const char *clock_ticks_shown(enum clock_id clock)
{
    return words_of(clock).full;
}

const char *clock_rate_name(enum clock_id clock)
{
    return words_of(clock).rate;
}

bool clock_is_exact(enum clock_id clock)
{
    return clock != CLOCK_loop && clock != CLOCK_outer;
}

const char *clock_rate_field(enum clock_id clock)
{
    return clock == CLOCK_time ? "second" : "step";
}
