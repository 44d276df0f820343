/* rate.c - see rate.h.
 *
 * Classes with few allocations per step are watched always: in a real training loop they are half
 * of the active classes and cost about 30 samples a step, and a leak in them is convicted at once.
 */
#include "probe/record/rate.h"

#include "probe/core/purse.h"
#include "probe/core/raw.h"
#include "probe/core/thread.h"
#include "probe/record/early_watch.h"

#define RATE_FINE (64u * 1024u)
#define RATE_MOST (4u * 1024u * 1024u)
#define SAMPLES_MANY 5000 /* samples per second; beyond, sampling is coarser */
#define SAMPLES_FREE 30000 /* samples without the next limit: they show a short run well */
#define SAMPLES_NS 10000000u /* time per second that later samples may take */
#define SAMPLES_LEAST 1000 /* this many even if each takes long */
#define SAMPLES_FEW(many) ((many) / 5 * 2)
#define BURST 64 /* samples after which their speed is measured */
#define QUIET_BELOW 8 /* allocations per step that make a class quiet */
#define QUIET_LEAVE 16 /* a watched class must be this busy to be left alone again */
#define SLICE_NS 10000000u /* what counts as a step where there is none */
#define WATCH_TIMED 16 /* one in this many samples is timed */
#define WATCH_LONGEST 100000u /* nanoseconds: a longer time includes more than the sample */
#define WATCH_COST 150u /* nanoseconds of a sample that was never timed */
#define WATCH_DEATH 2 /* a block that is watched costs this much of a sample, with its release */
#define WATCH_BUDGET 50 /* samples per step spent on quiet classes */
#define FEW_STEPS 64    /* a load of more than a second after so few steps is still set-up */
#define FLAT_STEPS 512  /* a class that has not gained by then is not watched any more */
#define FLAT_GAIN 2     /* not gained: its least number of blocks rose by no more */
#define FLAT_BELOW 64   /* allocations per step (in 256ths); a rarer class stays watched */

static uint64_t all_samples; /* atomic */
static bool is_fixed;
static uint64_t focused; /* classes the doctor asked for */
static uint64_t since[LEDGER_CLASSES];
static uint64_t first_born[LEDGER_CLASSES]; /* blocks born before the first step */
static uint64_t first_ordinal;              /* 0: no step yet */
static uint64_t elapsed;                    /* nanoseconds since then */
static uint64_t window_samples, window_ns;
static uint64_t chance_samples; /* atomic: taken by chance, since the beginning */
static uint64_t sample_cost; /* atomic: nanoseconds of one, the mean of the latest; 0: none was timed yet */
static uint32_t burst;        /* atomic: samples since the last look */
static uint64_t burst_start;  /* when that was */
static uint64_t flat;                        /* classes that did not gain over the last FLAT_STEPS */
static uint64_t flat_least[LEDGER_CLASSES];  /* fewest blocks alive in these steps */
static uint64_t flat_before[LEDGER_CLASSES]; /* fewest blocks alive in as many steps before */
static uint64_t flat_from;                   /* steps at that time */
static bool seen_real; /* a clock of the program's own has ticked */

static bool resting; /* atomic: see rate_rest */
static uint32_t timed; /* atomic: samples, one in WATCH_TIMED of which is timed */
/* For classes that are watched because they are quiet, and for those that seem to grow. */
static struct purse quiet_purse = {.grace = 100000000, .share = 100};
static struct purse growth_purse = {.grace = 300000000, .share = 50};
static uint64_t grown; /* atomic: classes that are watched because they seem to grow */
static uint64_t watch_cost; /* atomic: nanoseconds of a sample, the mean of the latest; 0: none yet */

uint64_t rate_now(void)
{
    return __atomic_load_n(&thread_rate, __ATOMIC_RELAXED);
}

void rate_note_sample(void)
{
    (void)__atomic_add_fetch(&all_samples, 1, __ATOMIC_RELAXED);
}

uint64_t rate_samples(void)
{
    return __atomic_load_n(&all_samples, __ATOMIC_RELAXED);
}

void rate_forked(void)
{
    all_samples = 0;
}

void rate_begin(uint64_t bytes, bool fixed)
{
    __atomic_store_n(&thread_rate, bytes ? bytes : RATE_FINE, __ATOMIC_RELAXED);
    is_fixed = fixed;
    first_ordinal = 0;
    focused = 0;
    window_samples = window_ns = 0;
    seen_real = resting = false;
    chance_samples = 0;
    purse_fill(&quiet_purse);
    purse_fill(&growth_purse);
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        since[c] = 0;
    __atomic_store_n(&thread_watched, 0, __ATOMIC_RELAXED);
}

uint64_t rate_set(uint64_t bytes)
{
    const uint64_t before = rate_now();

    __atomic_store_n(&thread_rate, bytes ? bytes : 1, __ATOMIC_RELAXED);
    is_fixed = true;
    return before;
}

static void watch(uint64_t classes, uint64_t ordinal)
{
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const bool on = classes >> c & 1;

        /* Births of the interval that is open now may have been missed: count from the next. */
        if (on && since[c] == 0)
            since[c] = ordinal + 1;
        if (!on)
            since[c] = 0;
    }
    if (__atomic_exchange_n(&thread_watched, classes, __ATOMIC_ACQ_REL) != classes)
        thread_watch(classes);
}

bool rate_times_sample(void)
{
    return __atomic_add_fetch(&timed, 1, __ATOMIC_RELAXED) % WATCH_TIMED == 0;
}

static uint64_t shift_mean(uint64_t *mean, uint64_t took)
{
    const uint64_t before = __atomic_load_n(mean, __ATOMIC_RELAXED);
    const uint64_t most = took < WATCH_LONGEST ? took : WATCH_LONGEST;

    __atomic_store_n(mean, before ? (before * 15 + most) / 16 : most, __ATOMIC_RELAXED);
    return most;
}

void rate_sample_cost(uint64_t took)
{
    (void)shift_mean(&sample_cost, took);
}

/* Samples per second that may be taken. */
static uint64_t samples_many(void)
{
    const uint64_t cost = __atomic_load_n(&sample_cost, __ATOMIC_RELAXED);
    const bool is_free = __atomic_load_n(&chance_samples, __ATOMIC_RELAXED) < SAMPLES_FREE;
    const uint64_t many = cost && !is_free ? SAMPLES_NS / cost : SAMPLES_MANY;

    return many > SAMPLES_MANY ? SAMPLES_MANY : many < SAMPLES_LEAST ? SAMPLES_LEAST : many;
}

/* A class that was quiet step by step may be busy in what comes between steps, a compilation; and where
 * steps are short even a few samples in each are many. */
uint64_t rate_watch_cost(uint64_t took, unsigned class_index, uint64_t ordinal)
{
    const uint64_t cost = shift_mean(&watch_cost, took) * WATCH_TIMED * WATCH_DEATH;
    const uint64_t now = __atomic_load_n(&thread_watched, __ATOMIC_RELAXED);
    const uint64_t growing = __atomic_load_n(&grown, __ATOMIC_RELAXED);
    const bool grows = growing >> class_index & 1;

    if (!purse_spend(grows ? &growth_purse : &quiet_purse, cost))
        watch(grows ? now & ~growing : now & growing, ordinal);
    return cost;
}

static void watch_some(uint64_t quiet, uint64_t growing, uint64_t ordinal)
{
    __atomic_store_n(&grown, growing, __ATOMIC_RELAXED);
    watch((purse_open(&quiet_purse) ? quiet & ~growing : 0) | (purse_open(&growth_purse) ? growing : 0),
          ordinal);
}

uint64_t rate_focus(uint64_t classes, uint64_t ordinal)
{
    const uint64_t before = focused;

    if (__atomic_load_n(&resting, __ATOMIC_ACQUIRE))
        return before;
    focused = classes;
    watch_some(__atomic_load_n(&thread_watched, __ATOMIC_RELAXED),
               __atomic_load_n(&grown, __ATOMIC_RELAXED) | classes, ordinal);
    return before;
}

void rate_rest(uint64_t ordinal)
{
    if (__atomic_exchange_n(&resting, true, __ATOMIC_ACQ_REL))
        return;
    focused = 0;
    watch(0, ordinal);
}

uint64_t rate_watched_since(unsigned class_index)
{
    return since[class_index];
}

/* Any thread; a lost update only delays the next decision. */
void rate_sampled(uint64_t now)
{
    const uint32_t taken = __atomic_add_fetch(&burst, 1, __ATOMIC_RELAXED);
    const uint64_t bytes = rate_now();

    if (is_fixed || taken < BURST)
        return;
    (void)__atomic_add_fetch(&chance_samples, taken, __ATOMIC_RELAXED);
    if (now - burst_start < BURST * 1000000000ull / samples_many() && bytes < RATE_MOST)
        __atomic_store_n(&thread_rate, bytes * 2, __ATOMIC_RELAXED);
    __atomic_store_n(&burst, 0, __ATOMIC_RELAXED);
    burst_start = now;
}

static void adapt(uint64_t samples, uint64_t ns)
{
    uint64_t now = rate_now();

    window_samples += samples;
    window_ns += ns;
    if (is_fixed || window_ns < 250000000u)
        return;
    if (window_samples * 1000000000u / window_ns < SAMPLES_FEW(samples_many()) && now > RATE_FINE)
        now /= 2;
    __atomic_store_n(&thread_rate, now, __ATOMIC_RELAXED);
    window_samples = window_ns = 0;
}

/* Samples that could be taken in the time of a step, if nothing else were done. */
static uint64_t affordable(uint64_t steps)
{
    const uint64_t cost = __atomic_load_n(&watch_cost, __ATOMIC_RELAXED);

    return elapsed / steps / (cost ? cost : WATCH_COST);
}

/* Steps since the first; slices of time, when the program has no clock of its own. */
static uint64_t steps_since(uint64_t ordinal)
{
    const uint64_t steps = seen_real ? ordinal - first_ordinal : elapsed / SLICE_NS;

    return steps ? steps : 1;
}

/* Mean allocations per step since the first, in 256ths. */
static uint64_t busyness(const struct thread_sums *sums, unsigned c, uint64_t steps)
{
    const uint64_t born = sums->classes[c].born_blocks;

    return born > first_born[c] ? (born - first_born[c]) * 256 / steps : 0;
}

/* In a loop that has settled, most of what is watched says nothing any more; its exact counter does, and
 * when that rises the doctor asks again. Where requests overlap the numbers go up and down from step to
 * step, but their least does not. */
static void look_for_flat(const struct thread_sums *sums, uint64_t steps)
{
    const bool over = steps >= flat_from + FLAT_STEPS;

    flat = over ? 0 : flat;
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const uint64_t born = sums->classes[c].born_blocks, dead = sums->classes[c].dead_blocks;
        const uint64_t live = born > dead ? born - dead : 0;

        flat_least[c] = live < flat_least[c] ? live : flat_least[c];
        if (!over)
            continue;
        if (flat_from > 0 && flat_least[c] <= flat_before[c] + FLAT_GAIN)
            flat |= 1ull << c;
        flat_before[c] = flat_least[c];
        flat_least[c] = UINT64_MAX;
    }
    flat_from = over ? steps : flat_from;
}

/* The quietest classes first, as many as the budget allows. */
static uint64_t quiet_classes(const uint64_t busy[LEDGER_CLASSES])
{
    const uint64_t before = __atomic_load_n(&thread_watched, __ATOMIC_RELAXED);
    uint64_t chosen = 0, spent = 0;

    for (uint64_t limit = 256; limit <= QUIET_LEAVE * 256; limit *= 2)
        for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
            const uint64_t bit = 1ull << c;
            const uint64_t most = (before & bit ? QUIET_LEAVE : QUIET_BELOW) * 256;

            if (chosen & bit || busy[c] >= limit || busy[c] >= most ||
                (flat & bit && busy[c] >= FLAT_BELOW) || spent + busy[c] > WATCH_BUDGET * 256)
                continue;
            chosen |= bit;
            spent += busy[c];
        }
    return chosen;
}

/* What came before is set-up, not steps. */
static void start_steps(const struct thread_sums *sums, uint64_t ordinal)
{
    first_ordinal = ordinal;
    elapsed = 0;
    flat = flat_from = 0;
    early_watch_begin();
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        first_born[c] = sums->classes[c].born_blocks;
        flat_least[c] = UINT64_MAX;
    }
}

void rate_step(const struct thread_sums *sums, uint64_t ordinal, uint64_t samples, uint64_t ns,
               bool real)
{
    uint64_t busy[LEDGER_CLASSES], steps, quiet, early;

    if (first_ordinal == 0 || (real && !seen_real)) {
        seen_real = real;
        start_steps(sums, ordinal);
        return;
    }
    elapsed += ns;
    adapt(samples, ns);
    if (__atomic_load_n(&resting, __ATOMIC_ACQUIRE))
        return;
    steps = steps_since(ordinal);
    look_for_flat(sums, steps);
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        busy[c] = busyness(sums, c, steps);
    quiet = quiet_classes(busy);
    early = early_watch_step(sums, busy, ordinal - first_ordinal, affordable(steps), quiet | focused);
    watch_some(quiet, focused | (early & ~flat), ordinal);
}

void rate_wait(uint64_t ordinal)
{
    if (seen_real && steps_since(ordinal) >= FEW_STEPS)
        return;
    first_ordinal = 0;
    focused = 0;
    watch(0, ordinal);
}
