/* small_objects_pure.c - see small_objects_pure.h. */
#include "probe/lines/small_objects_pure.h"


#include <string.h>

#define FEW 6           /* readings that are enough in a case of many blocks per step */
#define MANY_IN_A_ROW 4 /* that case: so many of the latest differences in a row */
#define MANY 50         /* that case: each difference is this many blocks per step */
#define RISES_NEEDED 9  /* of the latest RISES_LOOKED */
#define RISES_LOOKED 10
#define STEADY 3        /* blocks per step: clean loops gain up to 2.6 until the collector runs */
#define FIRST_COARSE 32 /* bytes: below it nearly every object is sampled anyway */

void small_objects_note_reading(struct small_objects_history *history, uint64_t blocks, uint64_t step)
{
    if (history->count == SMALL_OBJECTS_READINGS) {
        history->count--;
        memmove(history->blocks, history->blocks + 1, history->count * sizeof(history->blocks[0]));
        memmove(history->steps, history->steps + 1, history->count * sizeof(history->steps[0]));
    }
    history->blocks[history->count] = blocks;
    history->steps[history->count++] = step;
}

/* How many of the latest differences are at least `least` blocks per step. */
static unsigned rises(const struct small_objects_history *history, unsigned looked, uint64_t least)
{
    unsigned found = 0;

    for (unsigned i = history->count - looked; i < history->count; i++) {
        const uint64_t steps = history->steps[i] - history->steps[i - 1];

        found += history->blocks[i] >= history->blocks[i - 1] + least * steps;
    }
    return found;
}

bool small_objects_grow(const struct small_objects_history *history)
{
    const unsigned last = history->count - 1, first = last - RISES_LOOKED;

    if (history->count >= FEW && rises(history, MANY_IN_A_ROW, MANY) == MANY_IN_A_ROW)
        return true;
    return history->count > RISES_LOOKED && rises(history, RISES_LOOKED, 1) >= RISES_NEEDED &&
           history->blocks[last] >=
               history->blocks[first] + STEADY * (history->steps[last] - history->steps[first]);
}

uint64_t small_objects_coarser(uint64_t rate)
{
    if (rate < FIRST_COARSE)
        return FIRST_COARSE;
    return rate < SMALL_OBJECTS_RATE_MOST ? rate * 2 : rate;
}

uint64_t small_objects_finer(uint64_t rate)
{
    return rate <= FIRST_COARSE ? SMALL_OBJECTS_RATE_ALL : rate / 2;
}
