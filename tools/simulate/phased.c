/* phased.c - see phased.h. */
#include "phased.h"

#include "doctor/facts/rules.h"

enum loop { FIRST = 1, SECOND, AROUND };

/* Fast steps end within the second for which the probe waits before another loop counts; slow ones do not. */
static void begin(struct play *play)
{
    static const uint64_t lengths[] = {1, 5, 20};

    play->world->step_ns = WORLD_STEP_NS * lengths[random_between(play->random, 0, 2)];
    play->size = random_between(play->random, 4000, 40000); /* a record, an image */
}

static void keep(struct play *play, struct bag *bag)
{
    for (uint64_t i = 0; i < play->each; i++)
        play_keep(play, bag);
}

static void pass(struct play *play)
{
    world_pass(play->world, OWN_STACK, play->size, play->each);
}

/* A leak is one block per step: what the load makes in each of its steps may be more. */
static void leak(struct play *play)
{
    play->leaks_at = LEAK_STACK;
    bag_put(&play->other, world_allocate(play->world, LEAK_STACK, play->size));
}

/* ---- load, then something else ---- */

/* The load ends after `a` steps. It is over when as much work has followed as the rules ask for. */
static void load_for(struct play *play, uint64_t steps)
{
    const uint64_t share = steps / RULE_PHASE_SHARE;

    begin(play);
    play->a = steps > 0 ? steps : 1;
    play->settled = play->a + (share > RULE_GAP ? share : RULE_GAP) + 1;
}

void load_begin(struct play *play)
{
    load_for(play, play->ticks * random_between(play->random, 20, 60) / 100);
}

void long_load_begin(struct play *play)
{
    load_for(play, play->ticks * 9 / 10);
}

/* True: this step still loads. */
static bool loads(struct play *play, uint64_t tick)
{
    if (tick == 1)
        turns_loop(&play->world->turns, FIRST);
    if (tick == play->a + 1)
        turns_loop(&play->world->turns, SECOND);
    if (tick <= play->a)
        keep(play, &play->bag);
    return tick <= play->a;
}

void load_then_loop(struct play *play, uint64_t tick)
{
    if (!loads(play, tick))
        pass(play);
}

void load_then_steps(struct play *play, uint64_t tick)
{
    if (loads(play, tick))
        return;
    turns_steps(&play->world->turns, CLOCK_optimizer);
    pass(play);
}

void load_then_call(struct play *play, uint64_t tick)
{
    if (loads(play, tick))
        return;
    turns_none(&play->world->turns);
    pass(play);
}

/* The second loop takes the results one by one, and keeps only a few of its own. */
void collect_then_use(struct play *play, uint64_t tick)
{
    if (loads(play, tick))
        return;
    play_drop_first(play, &play->bag);
    play_keep(play, &play->other);
    if (play->other.count > play->each)
        play_drop_first(play, &play->other);
}

void load_then_leaky_loop(struct play *play, uint64_t tick)
{
    if (!loads(play, tick))
        leak(play);
}

void load_then_leaky_steps(struct play *play, uint64_t tick)
{
    if (loads(play, tick))
        return;
    turns_steps(&play->world->turns, CLOCK_optimizer);
    leak(play);
}

/* Both loops work alike; only the second keeps what it makes. */
void second_loop_leaks(struct play *play, uint64_t tick)
{
    if (tick == 1)
        turns_loop(&play->world->turns, FIRST);
    if (tick == play->a + 1)
        turns_loop(&play->world->turns, SECOND);
    if (tick > play->a)
        leak(play);
    pass(play);
}

/* ---- evaluation inside the training loop ---- */

/* `a` turns of training, then `b` of the evaluation. */
void evaluate_begin(struct play *play)
{
    begin(play);
    play->a = random_between(play->random, 2, 20);
    play->b = random_between(play->random, 2, 20);
    play->capacity = play->b;
    turns_around(&play->world->turns, AROUND);
}

static void turn_around(struct play *play)
{
    const struct world *world = play->world;

    turns_next(&play->world->turns, world->ledger.head->start_mono + world->now + world->step_ns);
}

/* The evaluation's place in its loop, from 1; 0: this step trains. */
static uint64_t evaluates(struct play *play, uint64_t tick)
{
    const uint64_t place = (tick - 1) % (play->a + play->b);

    if (place == play->a)
        turns_loop(&play->world->turns, SECOND);
    if (place >= play->a)
        return place - play->a + 1;
    turns_none(&play->world->turns);
    turn_around(play);
    return 0;
}

/* Predictions are kept until the score is known. */
void evaluate_step(struct play *play, uint64_t tick)
{
    const uint64_t place = evaluates(play, tick);

    if (place == 0)
        pass(play);
    else
        keep(play, &play->bag);
    if (place == play->b)
        play_drop_all(play, &play->bag);
}

void evaluate_leaky_step(struct play *play, uint64_t tick)
{
    evaluate_step(play, tick);
    if ((tick - 1) % (play->a + play->b) >= play->a)
        leak(play);
}

/* ---- phases that come again ---- */

/* `a` turns of the first loop, then `b` of the second, then the loop around them turns. */
void epochs_begin(struct play *play)
{
    begin(play);
    play->a = random_between(play->random, 8, 40);
    play->b = random_between(play->random, 8, 40);
    play->capacity = play->a + play->b;
    turns_around(&play->world->turns, AROUND);
}

/* True: the first loop turns. */
static bool trains(struct play *play, uint64_t tick)
{
    const uint64_t place = (tick - 1) % (play->a + play->b);

    if (place == 0 && tick > 1)
        turn_around(play);
    if (place == 0)
        turns_loop(&play->world->turns, FIRST);
    if (place == play->a)
        turns_loop(&play->world->turns, SECOND);
    return place < play->a;
}

static bool is_last(const struct play *play, uint64_t tick)
{
    return tick % (play->a + play->b) == 0;
}

void epochs_step(struct play *play, uint64_t tick)
{
    if (trains(play, tick))
        pass(play);
    else
        keep(play, &play->bag);
    if (is_last(play, tick))
        play_drop_all(play, &play->bag);
}

void epochs_leaky_step(struct play *play, uint64_t tick)
{
    epochs_step(play, tick);
    if ((tick - 1) % (play->a + play->b) >= play->a)
        leak(play);
}

/* A part is loaded, worked on and released. */
void load_in_parts_step(struct play *play, uint64_t tick)
{
    if (trains(play, tick))
        keep(play, &play->bag);
    else
        pass(play);
    if (is_last(play, tick))
        play_drop_all(play, &play->bag);
}
