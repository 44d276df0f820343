/* play.c - see play.h. */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bags ---- */

void bag_put(struct bag *bag, uint32_t handle)
{
    if (bag->head + bag->count == bag->room && bag->head > bag->count) {
        memmove(bag->items, bag->items + bag->head, bag->count * sizeof(*bag->items));
        bag->head = 0;
    }
    if (bag->head + bag->count == bag->room) {
        bag->room = bag->room ? bag->room * 2 : 64;
        bag->items = realloc(bag->items, bag->room * sizeof(*bag->items));
        if (!bag->items) {
            (void)fprintf(stderr, "simulate: out of memory\n");
            exit(70);
        }
    }
    bag->items[bag->head + bag->count++] = handle;
}

uint32_t bag_first(struct bag *bag)
{
    bag->count--;
    return bag->items[bag->head++];
}

uint32_t bag_take(struct bag *bag, size_t index)
{
    uint32_t *place = &bag->items[bag->head + index];
    const uint32_t handle = *place;

    *place = bag->items[bag->head + --bag->count];
    return handle;
}

void play_keep(struct play *play, struct bag *bag)
{
    bag_put(bag, world_allocate(play->world, OWN_STACK, play->size));
}

void play_drop_first(struct play *play, struct bag *bag)
{
    if (bag->count > 0)
        world_release(play->world, bag_first(bag));
}

void play_drop_any(struct play *play, struct bag *bag)
{
    if (bag->count > 0)
        world_release(play->world, bag_take(bag, random_between(play->random, 0, bag->count - 1)));
}

void play_drop_all(struct play *play, struct bag *bag)
{
    while (bag->count > 0)
        world_release(play->world, bag_first(bag));
}

/* ---- the loop ---- */

/* Half of the loops are quiet, as real training loops are; the others keep some blocks for a few
 * steps, and half have traffic in the pattern's own class. */
void play_begin(struct play *play, const struct pattern *pattern, struct world *world,
                uint64_t ticks)
{
    struct random *random = &world->random;

    memset(play, 0, sizeof(*play));
    play->world = world;
    play->random = random;
    play->ticks = ticks;
    play->size = random_between(random, 400, 4000);
    play->each = random_between(random, 1, 5);
    play->noise = random_between(random, 0, 1) ? 6 * random_unit(random) : 0;
    play->traffic = random_between(random, 0, 1) ? random_between(random, 10, 200) : 0;
    for (unsigned i = 0; i < LOOP_STACKS; i++)
        play->sizes[i] = (uint64_t)exp(3 + 9 * random_unit(random));
    for (unsigned i = 0; i < 200; i++) /* the model and its optimizer */
        (void)world_allocate(world, LOOP_STACK + i % LOOP_STACKS, play->sizes[i % LOOP_STACKS]);
    pattern->begin(play);
}

void play_step(struct play *play, const struct pattern *pattern, uint64_t tick)
{
    struct world *world = play->world;

    for (unsigned i = 0; i < LOOP_STACKS; i++)
        world_pass(world, LOOP_STACK + i, play->sizes[i], i % 4 ? 3 : 20);
    if (play->traffic)
        world_pass(world, BUSY_STACK, play->size, play->traffic);
    for (uint64_t i = random_poisson(play->random, play->noise); i > 0; i--)
        bag_put(
            &play->passing,
            world_allocate(world, BUSY_STACK,
                           i % 2 ? play->size : play->sizes[random_between(play->random, 0, 15)]));
    for (uint64_t i = play->passing.count; i > 0; i--)
        if (random_unit(play->random) < 0.4)
            world_release(world, bag_take(&play->passing, random_between(play->random, 0,
                                                                         play->passing.count - 1)));
    pattern->step(play, tick);
    world_step(world);
}

void play_end(struct play *play)
{
    free(play->bag.items);
    free(play->other.items);
    free(play->passing.items);
}
