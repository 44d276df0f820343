/* early_watch.c - see early_watch.h. */
#include "probe/record/early_watch.h"

#include <string.h>

#include "ledger/writer.h"

#define BASE_STEPS 4    /* of the first steps: the most blocks alive at their ends is the base */
#define RECENT_STEPS 4  /* of the latest steps: the least at their ends is compared with the base */
#define DECIDE_AT 12    /* steps before which nothing is said */
#define FREE_STEPS 2048 /* up to here FREE_SAMPLES a step may be spent, whatever a step takes */
#define FREE_SAMPLES 100
#define SAMPLE_SHARE 100 /* later they may take one part in this many of the time */
#define LARGE 16384 /* bytes: of larger blocks every fourth and more is a sample anyway */
#define RISE 4             /* blocks; and a quarter of a block per step */

static uint32_t base[LEDGER_CLASSES];
static uint32_t recent[RECENT_STEPS][LEDGER_CLASSES];
static uint64_t chosen; /* classes found to grow */

void early_watch_begin(void)
{
    memset(base, 0, sizeof(base));
    memset(recent, 0, sizeof(recent));
    chosen = 0;
}

static uint32_t live(const struct thread_sums *sums, unsigned c)
{
    const struct class_total *t = &sums->classes[c];
    const uint64_t blocks = t->born_blocks > t->dead_blocks ? t->born_blocks - t->dead_blocks : 0;

    return blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
}

static uint32_t risen(unsigned c)
{
    uint32_t least = UINT32_MAX;

    for (unsigned i = 0; i < RECENT_STEPS; i++)
        least = recent[i][c] < least ? recent[i][c] : least;
    return least > base[c] ? least - base[c] : 0;
}

/* The purest unwatched class that grows: the largest rise per allocation. */
static unsigned purest(const uint64_t busy[LEDGER_CLASSES], uint64_t steps, uint64_t skip)
{
    unsigned best = LEDGER_CLASSES;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        if (skip >> c & 1 || ledger_class_floor(c) >= LARGE || busy[c] == 0 ||
            risen(c) < RISE + steps / 4)
            continue;
        if (best == LEDGER_CLASSES ||
            (uint64_t)risen(c) * busy[best] > (uint64_t)risen(best) * busy[c])
            best = c;
    }
    return best;
}

uint64_t early_watch_step(const struct thread_sums *sums, const uint64_t busy[LEDGER_CLASSES],
                    uint64_t steps, uint64_t affordable, uint64_t watched)
{
    const uint64_t share = affordable / SAMPLE_SHARE;
    const uint64_t budget = steps <= FREE_STEPS && share < FREE_SAMPLES ? FREE_SAMPLES : share;
    uint64_t spent = 0, kept = 0;
    unsigned next;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const uint32_t now = live(sums, c);

        recent[steps % RECENT_STEPS][c] = now;
        if (steps <= BASE_STEPS && now > base[c])
            base[c] = now;
        if (chosen >> c & 1 && spent + busy[c] <= budget * 256) {
            kept |= 1ull << c;
            spent += busy[c];
        }
    }
    chosen = kept;
    next = steps >= DECIDE_AT && steps <= FREE_STEPS ? purest(busy, steps, watched | chosen)
                                                     : LEDGER_CLASSES;
    if (next < LEDGER_CLASSES && spent + busy[next] <= budget * 256)
        chosen |= 1ull << next;
    return chosen;
}
