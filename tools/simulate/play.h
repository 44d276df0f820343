/* play.h - one simulated run: a pattern, its numbers, and the training loop around it. */
#ifndef TARE_SIMULATE_PLAY_H
#define TARE_SIMULATE_PLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "world.h"

#define OWN_STACK   0 /* the pattern's own allocating line */
#define BUSY_STACK  1 /* transient traffic in the same size class */
#define LOOP_STACK  2 /* first of the loop's lines */
#define LOOP_STACKS 16
#define PATH_STACK  20 /* first of many paths to one line */
#define PATH_STACKS 20
#define LEAK_STACK  40 /* the line that leaks, where another one keeps blocks that do not */

/* Handles in the order they came; taken out at either end or anywhere. */
struct bag {
    uint32_t *items;
    size_t head, count, room;
};

struct play {
    struct world *world;
    struct random *random; /* borrowed from the world */
    uint64_t ticks;        /* of the run */
    uint64_t capacity;     /* ticks it takes the pattern's store to fill; 0: there is none */
    uint64_t settled;      /* leak verdicts count from this tick on: before it a load looks like a leak */
    unsigned leaks_at;     /* the stack that leaks; 0: not checked */
    uint64_t size;         /* of the pattern's blocks */
    uint64_t each;         /* blocks per step */
    uint64_t a, b, next;   /* the pattern's own numbers */
    double x;
    struct bag bag, other;
    /* the loop */
    uint64_t sizes[LOOP_STACKS];
    uint64_t traffic; /* transient blocks per step in the pattern's class */
    double noise;     /* blocks per step that live for a few steps */
    struct bag passing;
};

struct pattern {
    const char *name;
    void (*begin)(struct play *play);
    void (*step)(struct play *play, uint64_t tick); /* from 1 */
    bool heavy; /* too large for the longest runs, where it shows nothing new */
};

extern const struct pattern benign[];
extern const struct pattern leaks[];
extern const size_t benign_count, leak_count;

void bag_put(struct bag *bag, uint32_t handle);
uint32_t bag_first(struct bag *bag);              /* taken out */
uint32_t bag_take(struct bag *bag, size_t index); /* the last moves into its place */

/* Allocates one of the pattern's blocks into a bag; releases the oldest, one at random, or all. */
void play_keep(struct play *play, struct bag *bag);
void play_drop_first(struct play *play, struct bag *bag);
void play_drop_any(struct play *play, struct bag *bag);
void play_drop_all(struct play *play, struct bag *bag);

void play_begin(struct play *play, const struct pattern *pattern, struct world *world,
                uint64_t ticks);
void play_step(struct play *play, const struct pattern *pattern, uint64_t tick);
void play_end(struct play *play);

#endif /* TARE_SIMULATE_PLAY_H */
