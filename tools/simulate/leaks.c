/* leaks.c - programs that leak, as real ones do. */
#include "phased.h"

static bool is_shared(const struct play *play)
{
    for (unsigned i = 0; i < LOOP_STACKS; i++)
        if (ledger_class(play->sizes[i]) == ledger_class(play->size))
            return true;
    return false;
}

/* A class that only the leak uses. */
static void quiet(struct play *play)
{
    play->traffic = 0;
    play->noise = 0;
    play->each = 1;
    while (is_shared(play))
        play->size = random_between(play->random, 400, 8000);
}

static void busy(struct play *play)
{
    play->traffic = random_between(play->random, 20, 200);
    play->each = 1;
}

static void each_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (uint64_t i = 0; i < play->each; i++)
        play_keep(play, &play->bag);
}

/* 1 KB per step among 10 MB of transient traffic, some of which lives for a few steps. */
static void storm_begin(struct play *play)
{
    play->size = 1000;
    play->traffic = 1200;
    play->noise = 5;
}

static void storm_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (unsigned i = 0; i < 10; i++)
        world_pass(play->world, LOOP_STACK, 300 + 180 * i, 900);
    play_keep(play, &play->bag);
}

static void one_in_twenty_begin(struct play *play)
{
    play->each = 20;
}

static void one_in_twenty_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (uint64_t i = 0; i < play->each; i++)
        if (random_unit(play->random) < 0.05)
            play_keep(play, &play->bag);
        else
            world_pass(play->world, OWN_STACK, play->size, 1);
}

static void every_tenth_begin(struct play *play)
{
    quiet(play);
    play->size = 4000;
}

static void every_fiftieth_begin(struct play *play)
{
    quiet(play);
    play->size = 20000;
}

static void every_tenth_step(struct play *play, uint64_t tick)
{
    if (tick % 10 == 0)
        play_keep(play, &play->bag);
}

static void every_fiftieth_step(struct play *play, uint64_t tick)
{
    for (unsigned i = 0; tick % 50 == 0 && i < 5; i++)
        play_keep(play, &play->bag);
}

/* From a third of the run on, at most from step 300. */
static void late_begin(struct play *play)
{
    play->each = 1;
    play->a = play->ticks / 3 < 300 ? play->ticks / 3 : 300;
}

static void late_step(struct play *play, uint64_t tick)
{
    if (tick > play->a)
        each_step(play, tick);
    else
        world_pass(play->world, OWN_STACK, play->size, 1);
}

static void at_random_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (uint64_t i = random_poisson(play->random, 0.5); i > 0; i--)
        play_keep(play, &play->bag);
}

static void models_begin(struct play *play)
{
    play->each = random_between(play->random, 100, 200);
}

/* A model: a few hundred blocks of all sizes, kept whole. */
static void models_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (uint64_t i = 0; i < play->each; i++)
        bag_put(&play->bag, world_allocate(play->world, OWN_STACK,
                                           (uint64_t)exp(6 + 7 * random_unit(play->random))));
}

static void container_begin(struct play *play)
{
    play->b = 64 * 1024;
    play->a = world_allocate(play->world, OWN_STACK, play->b);
}

static void container_step(struct play *play, uint64_t tick)
{
    (void)tick;
    play->b += 2560;
    world_resize(play->world, (uint32_t)play->a, OWN_STACK, play->b);
}

/* Beside the leak the same line makes garbage that a collector takes away now and then. */
static void under_collector_step(struct play *play, uint64_t tick)
{
    each_step(play, tick);
    for (unsigned i = 0; i < 2; i++)
        play_keep(play, &play->other);
    if (tick % 25 == 0)
        play_drop_all(play, &play->other);
}

static void after_warm_up_step(struct play *play, uint64_t tick)
{
    for (unsigned i = 0; tick <= 20 && i < 10; i++)
        play_keep(play, &play->other);
    each_step(play, tick);
}

static void mapping_step(struct play *play, uint64_t tick)
{
    (void)tick;
    world_map(play->world, OWN_STACK, 64 * 1024);
}

static void many_paths_step(struct play *play, uint64_t tick)
{
    (void)tick;
    bag_put(&play->bag,
            world_allocate(play->world,
                           PATH_STACK + (unsigned)random_between(play->random, 0, PATH_STACKS - 1),
                           play->size));
}

/* One line, one block per step, of any size: no single class grows much. */
static void any_size_step(struct play *play, uint64_t tick)
{
    (void)tick;
    bag_put(&play->bag, world_allocate(play->world, OWN_STACK,
                                       (uint64_t)exp(6 + 3 * random_unit(play->random))));
}

/* Four in, three out: nothing survives, and it grows. */
static void backlog_step(struct play *play, uint64_t tick)
{
    (void)tick;
    for (unsigned i = 0; i < 4; i++)
        play_keep(play, &play->bag);
    for (unsigned i = 0; i < 3; i++)
        play_drop_first(play, &play->bag);
}

const struct pattern leaks[] = {
    {"one per step, quiet class", quiet, each_step, false},
    {"one per step, busy class", busy, each_step, false},
    {"1 KB per step in 10 MB of traffic", storm_begin, storm_step, false},
    {"1 in 20 objects", one_in_twenty_begin, one_in_twenty_step, false},
    {"every 10th step", every_tenth_begin, every_tenth_step, false},
    {"five every 50th step", every_fiftieth_begin, every_fiftieth_step, false},
    {"starts late", late_begin, late_step, false},
    {"at random, 0.5 per step", quiet, at_random_step, false},
    {"heavy steps: models", models_begin, models_step, true},
    {"container grown by realloc", container_begin, container_step, false},
    {"under a collector's garbage", busy, under_collector_step, false},
    {"after a warm-up", quiet, after_warm_up_step, false},
    {"one mapping per step", quiet, mapping_step, false},
    {"many paths to one line", quiet, many_paths_step, false},
    {"one per step, of any size", quiet, any_size_step, false},
    {"queue filled faster than emptied", quiet, backlog_step, false},
    {"load, then a leaky loop", load_begin, load_then_leaky_loop, false},
    {"load, then leaky optimizer steps", load_begin, load_then_leaky_steps, false},
    {"only the second loop leaks", load_begin, second_loop_leaks, false},
    {"only the evaluation every n steps leaks", evaluate_begin, evaluate_leaky_step, false},
    {"a phase that comes again leaks", epochs_begin, epochs_leaky_step, false},
};

const size_t leak_count = sizeof(leaks) / sizeof(leaks[0]);
