/* choice_pure.c - see choice_pure.h. */
#include "probe/devices/choice_pure.h"

#include "probe/core/sample_pure.h"

static uint32_t get(const uint32_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void set(uint32_t *counter, uint32_t value)
{
    __atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

static struct choice_size *size_of(struct choice *choice, uint64_t bytes)
{
    return &choice->sizes[bytes * 0x9e3779b97f4a7c15u >> 58];
}

/* A new window begins with the share that the last one would have needed. */
static void begin_window(struct choice_size *size, uint64_t now)
{
    const uint64_t windows = (now - __atomic_load_n(&size->since, __ATOMIC_RELAXED)) / CHOICE_WINDOW;

    if (windows == 0)
        return;
    set(&size->every, windows == 1 ? get(&size->born) / CHOICE_MOST : 0);
    set(&size->born, 0);
    set(&size->taken, 0);
    __atomic_store_n(&size->since, now, __ATOMIC_RELAXED);
}

uint32_t choice_make(struct choice *choice, uint64_t *random, uint64_t bytes, uint64_t now)
{
    struct choice_size *size = size_of(choice, bytes);
    uint32_t every;

    begin_window(size, now);
    set(&size->born, get(&size->born) + 1);
    every = get(&size->every) ? get(&size->every) : 1;
    if (every > 1 && sample_random(random) % every != 0)
        return 0;
    set(&size->taken, get(&size->taken) + 1);
    if (get(&size->taken) >= CHOICE_MOST && every < UINT32_MAX / 2) {
        set(&size->every, every * 2);
        set(&size->taken, 0);
    }
    return every;
}
