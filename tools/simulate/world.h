/* world.h - a program that is not there, and the probe inside it.
 *
 * Patterns allocate and release; the world counts by size class, samples as the probe does, watches
 * quiet classes, and writes it all into a real ledger with the real writer.
 */
#ifndef TARE_SIMULATE_WORLD_H
#define TARE_SIMULATE_WORLD_H

#include "base/err.h"
#include "ledger/layout.h"
#include "ledger/writer.h"
#include "random.h"
#include "turns.h"

#define WORLD_STACKS  48
#define WORLD_RATE    (512 * 1024) /* mean bytes between samples: the coarsest in use */
#define WORLD_QUIET   8            /* allocations per step below which the probe watches a class */
#define WORLD_BUDGET  50           /* samples per step for it */
#define WORLD_STEP_NS 10000000ull /* of one step, unless the pattern says otherwise */

struct world_block {
    uint64_t size, birth, weight;
    uint32_t site; /* index + 1; 0: not sampled */
    uint32_t slot; /* of the live table */
    uint32_t grown;
};

struct world {
    struct ledger ledger;
    struct random random;
    uint64_t ordinal; /* of the interval now open, from 1 */
    struct turns turns;
    uint64_t now;     /* since the program started, in nanoseconds */
    uint64_t step_ns; /* how long each step takes */
    struct totals_record totals;
    uint64_t allocated_bytes, allocated_blocks, live_bytes, live_blocks;
    uint64_t focus;             /* classes watched on request */
    struct world_block *blocks; /* by handle */
    uint32_t *idle;             /* handles, then slots, that are free */
    uint32_t *idle_slots;
    uint32_t block_room, idle_count, idle_slot_count, slot_count, site_count, sampled;
    uint32_t sites[WORLD_STACKS][LEDGER_CLASSES + 1]; /* index + 1 */
    uint32_t map_count;
};

int world_open(struct world *world, const char *directory, uint32_t number, uint64_t seed,
               struct why *why);
void world_close(struct world *world); /* removes the ledger */

/* Returns a handle. Stacks are numbered from 0. */
uint32_t world_allocate(struct world *world, unsigned stack, uint64_t size);
void world_release(struct world *world, uint32_t handle);
void world_resize(struct world *world, uint32_t handle, unsigned stack, uint64_t size);

/* `count` blocks that are allocated and released within the step. */
void world_pass(struct world *world, unsigned stack, uint64_t size, uint64_t count);

void world_map(struct world *world, unsigned stack, uint64_t length);

/* Ends the step: writes its record, unless no clock ticked, and the totals. */
void world_step(struct world *world);

/* Every block of these classes is sampled from the next step on. */
void world_watch(struct world *world, uint64_t classes);

#endif /* TARE_SIMULATE_WORLD_H */
