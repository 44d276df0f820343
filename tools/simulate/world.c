/* world.c - see world.h. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/levels.h"
#include "ledger/table.h"

#define FIRST_ADDRESS 0x10000ull
#define PROGRAM_BYTES (20ull << 20) /* resident without any heap */
#define NO_SLOT       UINT32_MAX
#define DEATH_AGE     4 /* the ring keeps deaths from this age on */

static void out_of_memory(void)
{
    (void)fprintf(stderr, "simulate: out of memory\n");
    exit(70);
}

static void *grow(void *old, size_t count, size_t size)
{
    void *new = realloc(old, count * size);

    if (!new)
        out_of_memory();
    return new;
}

/* ---- stacks and sites ---- */

static void write_stacks(struct world *world)
{
    struct stack_record *stacks = ledger_records(&world->ledger, SECTION_stacks);

    for (unsigned i = 0; i < WORLD_STACKS; i++) {
        stacks[i].offset = 0x1000 + i;
        stacks[i].link = FRAME_NATIVE;
    }
}

static uint32_t site_of(struct world *world, unsigned stack, unsigned class_index,
                        enum site_kind kind)
{
    uint32_t *found = &world->sites[stack][kind == SITE_MAP ? LEDGER_CLASSES : class_index];
    struct site_record *site;

    if (*found)
        return *found;
    if (world->site_count == ledger_entry(&world->ledger, SECTION_sites)->used &&
        !table_grow(&world->ledger, SECTION_sites, (enum section)0, world->site_count))
        out_of_memory();
    site =
        (struct site_record *)ledger_records(&world->ledger, SECTION_sites) + world->site_count++;
    site->first = world->ordinal;
    site->key = ((uint64_t)stack + 1) << 16 | (uint64_t)class_index << 8 | kind;
    return *found = world->site_count;
}

static struct site_record *site_at(const struct world *world, uint32_t site)
{
    return (struct site_record *)ledger_records(&world->ledger, SECTION_sites) + (site - 1);
}

/* ---- sampling ---- */

static bool is_watched(const struct world *world, unsigned class_index)
{
    return world->ledger.head->watched >> class_index & 1;
}

static uint32_t take_slot(struct world *world)
{
    if (world->idle_slot_count > 0)
        return world->idle_slots[--world->idle_slot_count];
    if (world->slot_count == ledger_entry(&world->ledger, SECTION_live)->used) {
        if (!table_grow(&world->ledger, SECTION_live, SECTION_blocks, world->slot_count)) {
            ledger_lose(&world->ledger, LOST_live_full, 1);
            return NO_SLOT;
        }
        world->idle_slots = grow(world->idle_slots, world->slot_count * 2, sizeof(uint32_t));
    }
    return world->slot_count++;
}

static void put(struct world *world, uint32_t handle)
{
    const struct world_block *block = &world->blocks[handle];
    struct block_record *record =
        (struct block_record *)ledger_records(&world->ledger, SECTION_blocks) + block->slot;
    struct live_key *key =
        (struct live_key *)ledger_records(&world->ledger, SECTION_live) + block->slot;

    *record = (struct block_record){.size = block->size,
                                    .weight = block->weight,
                                    .birth = block->birth,
                                    .site = block->site,
                                    .grown = ledger_grown(block->grown)};
    key->address = FIRST_ADDRESS + handle * 16ull;
}

static bool is_sampled(struct world *world, uint64_t size, uint64_t *weight)
{
    const double chance = 1 - exp(-(double)size / WORLD_RATE);

    *weight = size;
    if (is_watched(world, ledger_class(size)))
        return true;
    if (random_unit(&world->random) >= chance)
        return false;
    *weight = (uint64_t)((double)size / chance + 0.5);
    return true;
}

static void sample(struct world *world, uint32_t handle, unsigned stack)
{
    struct world_block *block = &world->blocks[handle];
    struct site_record *site;

    if (!is_sampled(world, block->size, &block->weight))
        return;
    block->slot = take_slot(world);
    if (block->slot == NO_SLOT)
        return;
    block->site = site_of(world, stack, ledger_class(block->size), SITE_HEAP);
    site = site_at(world, block->site);
    site->births++;
    site->born_weight += block->weight;
    site->last = world->ordinal;
    world->sampled++;
    put(world, handle);
}

static void record_death(struct world *world, uint64_t birth, uint32_t site, uint64_t size)
{
    struct section_entry *entry = ledger_entry(&world->ledger, SECTION_deaths);
    const uint64_t index = entry->used % entry->capacity;
    struct death_record *deaths = ledger_records(&world->ledger, SECTION_deaths);

    if (!ledger_take(&world->ledger, SECTION_deaths, index + 1))
        out_of_memory();
    deaths[index] = (struct death_record){birth, world->ordinal, site, (uint32_t)size};
    entry->used++;
}

static void unsample(struct world *world, uint32_t handle)
{
    struct world_block *block = &world->blocks[handle];
    const uint64_t age = world->ordinal - block->birth;
    const unsigned bits = age ? 64u - (unsigned)__builtin_clzll(age) : 0;
    struct site_record *site;

    if (!block->site)
        return;
    ((struct live_key *)ledger_records(&world->ledger, SECTION_live))[block->slot].address = 0;
    world->idle_slots[world->idle_slot_count++] = block->slot;
    site = site_at(world, block->site);
    site->deaths++;
    site->dead_weight += block->weight;
    site->ages[bits < LEDGER_AGES ? bits : LEDGER_AGES - 1]++;
    if (age >= DEATH_AGE)
        record_death(world, block->birth, block->site, block->size);
}

/* ---- counters ---- */

static void count_birth(struct world *world, uint64_t size, uint64_t count)
{
    struct class_total *total = &world->totals.classes[ledger_class(size)];

    total->born_blocks += count;
    total->born_bytes += size * count;
    world->allocated_blocks += count;
    world->allocated_bytes += size * count;
    world->live_blocks += count;
    world->live_bytes += size * count;
}

static void count_death(struct world *world, uint64_t size, uint64_t count)
{
    struct class_total *total = &world->totals.classes[ledger_class(size)];

    total->dead_blocks += count;
    total->dead_bytes += size * count;
    world->live_blocks -= count;
    world->live_bytes -= size * count;
}

uint32_t world_allocate(struct world *world, unsigned stack, uint64_t size)
{
    uint32_t handle;

    if (world->idle_count == 0) {
        const uint32_t room = world->block_room ? world->block_room * 2 : 1024;

        world->blocks = grow(world->blocks, room, sizeof(*world->blocks));
        world->idle = grow(world->idle, room, sizeof(*world->idle));
        for (uint32_t i = room; i-- > world->block_room;)
            world->idle[world->idle_count++] = i;
        world->block_room = room;
    }
    handle = world->idle[--world->idle_count];
    world->blocks[handle] = (struct world_block){.size = size, .birth = world->ordinal};
    count_birth(world, size, 1);
    sample(world, handle, stack);
    return handle;
}

void world_release(struct world *world, uint32_t handle)
{
    unsample(world, handle);
    count_death(world, world->blocks[handle].size, 1);
    world->idle[world->idle_count++] = handle;
}

void world_resize(struct world *world, uint32_t handle, unsigned stack, uint64_t size)
{
    struct world_block *block = &world->blocks[handle];
    const uint64_t birth = block->birth;
    const uint32_t grown = block->grown + 1;

    if (block->site) {
        const uint32_t site = block->site;

        ((struct live_key *)ledger_records(&world->ledger, SECTION_live))[block->slot].address = 0;
        world->idle_slots[world->idle_slot_count++] = block->slot;
        site_at(world, site)->deaths++;
        site_at(world, site)->dead_weight += block->weight;
    }
    count_death(world, block->size, 1);
    *block = (struct world_block){.size = size, .birth = birth, .grown = grown};
    count_birth(world, size, 1);
    sample(world, handle, stack);
}

void world_pass(struct world *world, unsigned stack, uint64_t size, uint64_t count)
{
    count_birth(world, size, count);
    count_death(world, size, count);
    if (is_watched(world, ledger_class(size))) {
        struct site_record *site =
            site_at(world, site_of(world, stack, ledger_class(size), SITE_HEAP));

        site->births += count;
        site->deaths += count;
        site->born_weight += size * count;
        site->dead_weight += size * count;
        site->last = world->ordinal;
        site->ages[0] += (uint32_t)count;
        world->sampled += (uint32_t)count;
    }
}

void world_map(struct world *world, unsigned stack, uint64_t length)
{
    struct map_record *maps = ledger_records(&world->ledger, SECTION_maps);
    const uint32_t site = site_of(world, stack, ledger_class(length), SITE_MAP);

    if (world->map_count == ledger_entry(&world->ledger, SECTION_maps)->used &&
        !table_grow(&world->ledger, SECTION_maps, (enum section)0, world->map_count))
        return;
    site_at(world, site)->births++;
    site_at(world, site)->born_weight += length;
    maps[world->map_count] =
        (struct map_record){.start = (1ull << 40) + (world->map_count * length),
                            .length = length,
                            .birth = world->ordinal,
                            .site = site,
                            .kind = SITE_MAP};
    world->map_count++;
    world->totals.mapped_bytes += length;
}

/* ---- steps ---- */

void world_watch(struct world *world, uint64_t classes)
{
    struct ledger_header *head = world->ledger.head;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        if (classes >> c & 1 && !(head->watched >> c & 1))
            world->totals.watched_since[c] = world->ordinal;
    head->watched |= classes;
}

static void unwatch(struct world *world, unsigned class_index)
{
    world->ledger.head->watched &= ~(1ull << class_index);
    world->totals.watched_since[class_index] = 0;
}

/* As the probe does: quiet classes are watched while the budget lasts, and let go when they are
 * quiet no more. */
static void watch_quiet(struct world *world)
{
    const double steps = (double)(world->ordinal - 1);
    double spent = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const double traffic = (double)world->totals.classes[c].born_blocks / steps;

        if (world->focus >> c & 1)
            continue;
        if (traffic >= 2 * WORLD_QUIET && is_watched(world, c)) {
            unwatch(world, c);
        } else if (traffic > 0 && traffic < WORLD_QUIET && spent + traffic <= WORLD_BUDGET) {
            spent += traffic;
            world_watch(world, 1ull << c);
        }
    }
}

static void write_totals(struct world *world)
{
    struct totals_record *totals = ledger_records(&world->ledger, SECTION_totals);

    world->totals.ordinal = world->ordinal;
    world->totals.sequence = 0;
    world->totals.time = world->ledger.head->start_mono + world->now;
    memcpy(world->totals.clock, world->turns.count, sizeof(world->totals.clock));
    *totals = world->totals;
}

static void write_step(struct world *world)
{
    struct step_record step = {.first = world->ordinal, .last = world->ordinal};

    step.time = world->ledger.head->start_mono + world->now;
    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        step.ticked |= (world->turns.count[i] > world->totals.clock[i] ? 1u : 0u) << i;
    memcpy(step.clock, world->turns.count, sizeof(step.clock));
    step.live_bytes = step.live_min = step.live_max = world->live_bytes;
    step.live_blocks = world->live_blocks;
    step.allocated_bytes = world->allocated_bytes;
    step.allocated_blocks = world->allocated_blocks;
    step.mapped_bytes = world->totals.mapped_bytes;
    step.resident = PROGRAM_BYTES + world->live_bytes * 11 / 10 + step.mapped_bytes;
    step.threads = 1;
    step.sampled = world->sampled;
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        step.class_blocks[c] =
            (uint32_t)(world->totals.classes[c].born_blocks - world->totals.classes[c].dead_blocks);
    if (!levels_append_step(&world->ledger, &step))
        out_of_memory();
    world->sampled = 0;
    world->ordinal++;
    if (world->ordinal % 8 == 0)
        watch_quiet(world);
}

void world_step(struct world *world)
{
    world->now += world->step_ns;
    if (turns_tick(&world->turns, &world->ledger, world->ordinal,
                   world->ledger.head->start_mono + world->now, world->step_ns))
        write_step(world);
    write_totals(world);
}

int world_open(struct world *world, const char *directory, uint32_t number, uint64_t seed,
               struct why *why)
{
    const struct ledger_identity identity = {.role = ROLE_PROCESS,
                                             .pid = number,
                                             .parent_pid = 1,
                                             .run = 1,
                                             .rate = WORLD_RATE,
                                             .program = "simulated",
                                             .command = "simulated",
                                             .allocator = "libc.so.6"};
    char name[LEDGER_NAME_MAX];
    int err;

    memset(world, 0, sizeof(*world));
    world->random.state = seed;
    world->ordinal = 1;
    world->step_ns = WORLD_STEP_NS;
    turns_steps(&world->turns, CLOCK_mark);
    ledger_name(name, number, 0, LEDGER_SUFFIX);
    err = ledger_create(&world->ledger, directory, name, &identity, why);
    if (err)
        return err;
    world->idle_slots =
        grow(NULL, ledger_entry(&world->ledger, SECTION_live)->used * 2, sizeof(uint32_t));
    write_stacks(world);
    write_totals(world);
    ledger_state(&world->ledger, STATE_RUNNING);
    return 0;
}

void world_close(struct world *world)
{
    if (world->ledger.head)
        (void)unlink(world->ledger.path);
    ledger_close(&world->ledger);
    free(world->blocks);
    free(world->idle);
    free(world->idle_slots);
}
