/* benign.c - programs whose memory rises, wanders and falls, and does not leak.
 *
 * `capacity` is the number of steps after which a bounded store is full (or a lifetime is over);
 * the rules may say "nothing evicted so far" before three times that, and must be silent after.
 */
#include "phased.h"

static void nothing(struct play *play)
{
    (void)play;
}

static void keep_each(struct play *play)
{
    for (uint64_t i = 0; i < play->each; i++)
        play_keep(play, &play->bag);
}

/* ---- steady ---- */

static void steady_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (uint64_t i = 0; i < play->each; i++)
        world_pass(play->world, OWN_STACK, play->size, 1);
}

static void replaced_begin(struct play *play)
{
    play->a = random_between(play->random, 1, 4); /* the last so many results are kept */
}

static void replaced_step(struct play *play, uint64_t tick)
{
    (void)tick;
    keep_each(play);
    while (play->bag.count > play->a * play->each)
        play_drop_first(play, &play->bag);
}

/* ---- warm-up ---- */

static void warm_up_begin(struct play *play)
{
    play->capacity = random_between(play->random, 3, 80);
}

static void warm_up_step(struct play *play, uint64_t tick)
{
    if (tick <= play->capacity)
        keep_each(play);
}

static void slow_warm_up_begin(struct play *play)
{
    play->capacity = random_between(play->random, 10, 60); /* time constant */
    play->x = 200;
}

static void slow_warm_up_step(struct play *play, uint64_t tick)
{
    const double target = play->x * (1 - exp(-(double)tick / (double)play->capacity));

    while ((double)play->bag.count < target)
        play_keep(play, &play->bag);
}

/* ---- queues ---- */

static void walk_begin(struct play *play)
{
    for (unsigned i = 0; i < 60; i++)
        play_keep(play, &play->bag);
    play->capacity = 60 / play->each; /* steps that a block waits */
}

static void walk_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (uint64_t i = random_poisson(play->random, (double)play->each); i > 0; i--)
        play_keep(play, &play->bag);
    for (uint64_t i = random_poisson(play->random, (double)play->each); i > 0; i--)
        play_drop_first(play, &play->bag);
}

/* ---- memory that lives for an epoch, or until a collection ---- */

static void epoch_begin(struct play *play)
{
    play->capacity = random_between(play->random, 8, 100);
    play->next = play->capacity;
}

static void epoch_step(struct play *play, uint64_t tick)
{
    for (uint64_t i = random_poisson(play->random, (double)play->each); i > 0; i--)
        play_keep(play, &play->bag);
    if (tick < play->next)
        return;
    play_drop_all(play, &play->bag);
    play->next = tick + play->capacity;
}

static void collector_begin(struct play *play)
{
    play->capacity = random_between(play->random, 10, 80);
    play->next = play->capacity;
}

static void collector_step(struct play *play, uint64_t tick)
{
    keep_each(play);
    if (tick < play->next)
        return;
    for (uint64_t i = play->bag.count; i > 0; i--) /* a few survive this collection */
        if (random_unit(play->random) < 0.97)
            play_drop_first(play, &play->bag);
        else
            bag_put(&play->bag, bag_first(&play->bag));
    play->next = tick + random_between(play->random, play->capacity / 2, play->capacity);
}

/* Each tooth is a little longer than the last, up to twice the first. */
static void sawtooth_begin(struct play *play)
{
    play->a = random_between(play->random, 10, 40);
    play->b = play->a;
    play->next = play->a;
    play->capacity = 2 * play->a;
}

static void sawtooth_step(struct play *play, uint64_t tick)
{
    keep_each(play);
    if (tick < play->next)
        return;
    play_drop_all(play, &play->bag);
    play->b += play->b < 2 * play->a ? 1 : 0;
    play->next = tick + play->b;
}

/* ---- stores with a bound ---- */

static void ring_begin(struct play *play)
{
    play->capacity = random_between(play->random, 10, 150);
}

static void ring_step(struct play *play, uint64_t tick)
{
    (void)tick;
    keep_each(play);
    while (play->bag.count > play->capacity * play->each)
        play_drop_first(play, &play->bag);
}

/* Not every step misses; what is evicted is any entry. */
static void lru_step(struct play *play, uint64_t tick)
{
    (void)tick;
    if (random_unit(play->random) < 0.5)
        return;
    keep_each(play);
    while (play->bag.count > play->capacity * play->each / 2)
        play_drop_any(play, &play->bag);
}

/* One key drawn per step from a finite set; a new one is stored for good. */
static void keys_begin(struct play *play)
{
    play->a = random_between(play->random, 15, 150);
    play->capacity = play->a;
}

static void keys_step(struct play *play, uint64_t tick)
{
    (void)tick;
    if (random_between(play->random, 1, play->a) > play->bag.count)
        play_keep(play, &play->bag);
}

static void pool_begin(struct play *play)
{
    play->a = random_between(play->random, 10, 60);
    play->b = random_between(play->random, 1, 4); /* steps for each, on the average */
    play->capacity = play->a * play->b;
}

static void pool_step(struct play *play, uint64_t tick)
{
    (void)tick;
    if (play->bag.count < play->a && random_unit(play->random) < 1 / (double)play->b)
        play_keep(play, &play->bag);
}

/* ---- others ---- */

static void spikes_step(struct play *play, uint64_t tick)
{
    if (random_unit(play->random) < 0.02) {
        for (unsigned i = 0; i < 60; i++)
            play_keep(play, &play->bag);
        play->next = tick + random_between(play->random, 1, 12);
    }
    if (tick >= play->next)
        play_drop_all(play, &play->bag);
}

/* A hash table: one block that doubles, up to a bound; its entries lie inside it. */
static void doubling_begin(struct play *play)
{
    play->a = world_allocate(play->world, OWN_STACK, 1024);
    play->b = 1024;
    play->capacity = random_between(play->random, 50, 2000);
}

static void doubling_step(struct play *play, uint64_t tick)
{
    if (tick > play->capacity || tick * 256 <= play->b)
        return;
    play->b *= 2;
    world_resize(play->world, (uint32_t)play->a, OWN_STACK, play->b);
}

static void lifetimes_begin(struct play *play)
{
    play->capacity = random_between(play->random, 3, 40); /* mean life */
}

static void lifetimes_step(struct play *play, uint64_t tick)
{
    (void)tick;
    keep_each(play);
    for (uint64_t i = play->bag.count; i > 0; i--)
        if (random_unit(play->random) < 1 / (double)play->capacity)
            play_drop_any(play, &play->bag);
}

/* Blocks of any size, each living a few steps: a class gains by chance. */
static void churn_begin(struct play *play)
{
    play->capacity = 10;
}

static void churn_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (unsigned i = 0; i < 40; i++)
        bag_put(&play->bag, world_allocate(play->world, OWN_STACK,
                                           (uint64_t)exp(3 + 7 * random_unit(play->random))));
    while (play->bag.count > 200)
        play_drop_any(play, &play->bag);
}

/* A copy of the best model so far: replaced less and less often. */
static void best_step(struct play *play, uint64_t tick)
{
    if (random_unit(play->random) * (double)tick >= 1)
        return;
    play_drop_all(play, &play->bag);
    for (unsigned i = 0; i < 20; i++)
        play_keep(play, &play->bag);
}

const struct pattern benign[] = {
    {"transient blocks only", nothing, steady_step, false},
    {"replaced each step", replaced_begin, replaced_step, false},
    {"warm-up that ends", warm_up_begin, warm_up_step, false},
    {"slow warm-up", slow_warm_up_begin, slow_warm_up_step, false},
    {"random-walk queue", walk_begin, walk_step, false},
    {"epoch-long lifetimes", epoch_begin, epoch_step, false},
    {"collector lag", collector_begin, collector_step, false},
    {"sawtooth with drift", sawtooth_begin, sawtooth_step, false},
    {"ring that fills", ring_begin, ring_step, false},
    {"cache with random eviction", ring_begin, lru_step, false},
    {"finite key set", keys_begin, keys_step, false},
    {"pool that fills slowly", pool_begin, pool_step, false},
    {"rare spikes", nothing, spikes_step, false},
    {"hash table that doubles", doubling_begin, doubling_step, false},
    {"random lifetimes", lifetimes_begin, lifetimes_step, false},
    {"churn of random sizes", churn_begin, churn_step, false},
    {"best copy, less and less often", nothing, best_step, false},
    {"load, then a loop", load_begin, load_then_loop, false},
    {"load, then optimizer steps", load_begin, load_then_steps, false},
    {"load, then one long call", load_begin, load_then_call, false},
    {"load for nine tenths of the run", long_load_begin, load_then_loop, false},
    {"collect results, then use them", load_begin, collect_then_use, false},
    {"evaluation every n steps", evaluate_begin, evaluate_step, false},
    {"epochs of two loops", epochs_begin, epochs_step, false},
    {"load and release, again and again", epochs_begin, load_in_parts_step, false},
};

const size_t benign_count = sizeof(benign) / sizeof(benign[0]);
