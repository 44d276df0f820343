/* pool.c - see pool.h. */
#include "probe/record/pool.h"

#include <errno.h>
#include <string.h>

#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/record/count.h"
#include "probe/record/sample.h"

#define REGIONS_MAX 512
#define CERTAIN_MOST 500 /* samples in a window: at about a microsecond each 0.5% of it */
#define CERTAIN_WINDOW 100000000u /* nanoseconds */
#define REGION_LEAST 65536 /* bytes: smaller ones are the ordinary work of any function */

struct region_entry {
    uintptr_t start; /* atomic: 0 free, 1 being filled */
    uint64_t bytes;
};

static struct region_entry regions[REGIONS_MAX];
static uint32_t regions_used; /* atomic: entries at and above are free */
static uint64_t reserved, live, blocks, born, most; /* atomic */
static uint64_t certain_since; /* atomic: when the window began */
static uint32_t certain_taken; /* atomic: samples in it */
static bool named; /* the ledger's record has its name; with the lock of the step's writer */

struct thread *pool_enter(void)
{
    struct thread *thread = thread_self;

    if (!thread)
        thread = thread_attach();
    if (thread)
        thread->pooling++;
    return thread;
}

bool pool_leave(struct thread *thread)
{
    return thread && --thread->pooling == 0;
}

/* Large tensors are few, and most of the memory: every one is a sample, up to this many a
 * second. */
static bool is_certain(void)
{
    const uint64_t now = raw_now();
    const uint64_t since = __atomic_load_n(&certain_since, __ATOMIC_RELAXED);

    if (now - since >= CERTAIN_WINDOW) {
        __atomic_store_n(&certain_since, now, __ATOMIC_RELAXED);
        __atomic_store_n(&certain_taken, 0, __ATOMIC_RELAXED);
    }
    return __atomic_add_fetch(&certain_taken, 1, __ATOMIC_RELAXED) <= CERTAIN_MOST;
}

void pool_born(struct thread *thread, void *block, size_t bytes, const void *frame)
{
    const uint64_t now = __atomic_add_fetch(&live, bytes, __ATOMIC_RELAXED);
    uint64_t before = __atomic_load_n(&most, __ATOMIC_RELAXED);
    bool bite;

    (void)__atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&born, 1, __ATOMIC_RELAXED);
    while (now > before && !__atomic_compare_exchange_n(&most, &before, now, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
        ;
    /* A watched class bites by itself, and one bite is enough. */
    bite = !(__atomic_load_n(&thread_watched, __ATOMIC_RELAXED) >> ledger_class(bytes) & 1) &&
           is_certain();
    count_born(thread, block, bytes, sample_units(bytes) + (bite ? (uint64_t)THREAD_WATCH_BITE : 0),
               frame);
}

void pool_dead(void *block, size_t bytes)
{
    struct thread *thread = thread_self ? thread_self : thread_attach();

    (void)__atomic_sub_fetch(&live, bytes, __ATOMIC_RELAXED);
    (void)__atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
    if (filter_may_hold(block)) {
        const int saved = errno;

        sample_dead(block);
        errno = saved;
    }
    if (thread)
        count_dead(thread, bytes);
    else if (!state_is_off())
        thread_count_late(0, bytes, ledger_class(bytes));
}

/* ---- regions ---- */

static void raise_used(uint32_t to)
{
    uint32_t seen = __atomic_load_n(&regions_used, __ATOMIC_RELAXED);

    while (seen < to && !__atomic_compare_exchange_n(&regions_used, &seen, to, true,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
}

bool pool_takes(const void *block, size_t usable)
{
    if (usable < REGION_LEAST)
        return false;
    for (uint32_t i = 0; i < REGIONS_MAX; i++) {
        uintptr_t free_entry = 0;

        if (!__atomic_compare_exchange_n(&regions[i].start, &free_entry, 1, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        regions[i].bytes = usable;
        filter_add(block);
        (void)__atomic_add_fetch(&reserved, usable, __ATOMIC_RELAXED);
        __atomic_store_n(&regions[i].start, (uintptr_t)block, __ATOMIC_RELEASE);
        raise_used(i + 1);
        return true;
    }
    return false;
}

bool pool_gives_back(const void *block)
{
    const uint32_t used = __atomic_load_n(&regions_used, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < used; i++) {
        if (__atomic_load_n(&regions[i].start, __ATOMIC_ACQUIRE) != (uintptr_t)block)
            continue;
        (void)__atomic_sub_fetch(&reserved, regions[i].bytes, __ATOMIC_RELAXED);
        filter_remove(block);
        __atomic_store_n(&regions[i].start, 0, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

bool pool_holds(uintptr_t address)
{
    const uint32_t used = __atomic_load_n(&regions_used, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < used; i++) {
        const uintptr_t start = __atomic_load_n(&regions[i].start, __ATOMIC_ACQUIRE);

        if (start > 1 && address - start < regions[i].bytes)
            return true;
    }
    return false;
}

bool pool_is_here(void)
{
    return __atomic_load_n(&regions_used, __ATOMIC_ACQUIRE) > 0;
}

/* ---- for the ledger ---- */

void pool_totals(struct pool_totals *out)
{
    *out = (struct pool_totals){.reserved = __atomic_load_n(&reserved, __ATOMIC_RELAXED),
                                .live = __atomic_load_n(&live, __ATOMIC_RELAXED),
                                .blocks = __atomic_load_n(&blocks, __ATOMIC_RELAXED),
                                .born = __atomic_load_n(&born, __ATOMIC_RELAXED)};
}

void pool_write(struct ledger *ledger)
{
    static const char name[] = "TensorFlow";
    struct pool_record *record = ledger_records(ledger, SECTION_pools);
    struct pool_totals totals;

    pool_totals(&totals);
    if (totals.reserved == 0 && totals.born == 0)
        return;
    __atomic_store_n(&record->reserved, totals.reserved, __ATOMIC_RELAXED);
    __atomic_store_n(&record->live, totals.live, __ATOMIC_RELAXED);
    __atomic_store_n(&record->blocks, totals.blocks, __ATOMIC_RELAXED);
    __atomic_store_n(&record->most, __atomic_load_n(&most, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    if (!named) {
        const uint32_t text = ledger_string(ledger, name, sizeof(name) - 1);

        named = true;
        __atomic_store_n(&record->name, text, __ATOMIC_RELEASE);
    }
}

void pool_forked(void)
{
    named = false;
    for (uint32_t i = 0; i < regions_used; i++) {
        if (regions[i].start == 1)
            regions[i].start = 0; /* by a thread that is not here */
        if (regions[i].start)
            filter_add((const void *)regions[i].start);
    }
}
