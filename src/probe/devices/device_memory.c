/* device_memory.c - see device_memory.h. */
#include "probe/devices/device_memory.h"

#include <errno.h>
#include <string.h>

#include "probe/core/filter.h"
#include "probe/core/raw.h"
#include "probe/core/spare_stack.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/devices/choice_pure.h"
#include "probe/devices/driver_blocks.h"
#include "probe/record/live.h"
#include "probe/record/sample.h"
#include "probe/record/site.h"
#include "probe/record/stack.h"
#include "probe/record/step.h"

#define PEAK_STEP  32         /* a peak is marked when it is a part in this many above the one before */
#define PEAK_LEAST (1u << 20) /* bytes by which it is above, at least */

/* What one device has; each field is an atomic of its own. */
struct device {
    uint32_t kind;      /* enum device_kind; 0: nothing is on it */
    uint64_t outside;   /* bytes taken from the driver outside of a pool */
    uint64_t pool_seen; /* bytes that a pool was seen to take from the driver */
    uint64_t pool_said; /* bytes that the pool says it has taken; 0: it says nothing */
    uint64_t pool_used; /* bytes that the pool has handed out */
    uint64_t blocks;    /* blocks in use */
    uint64_t most;      /* the most bytes in use at any time */
    /* As in struct device_record. */
    uint64_t failed_bytes, failed_used, failed_taken, failed_free, failed_ordinal;
};

static struct device devices[DEVICES_MOST];
static bool seen;              /* atomic: something was reported */
static uint64_t pinned;        /* atomic: bytes of the host */
static struct choice choice;   /* which blocks become samples */
static uint64_t peak_used;     /* atomic: bytes in use on all devices at the latest peak */

static uint64_t get(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void add(uint64_t *counter, uint64_t bytes)
{
    (void)__atomic_add_fetch(counter, bytes, __ATOMIC_RELAXED);
}

/* Memory that was there before we came can be given back: the counter stays at 0 then. */
static void subtract(uint64_t *counter, uint64_t bytes)
{
    uint64_t before = get(counter);

    while (!__atomic_compare_exchange_n(counter, &before, before > bytes ? before - bytes : 0, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void raise(uint64_t *counter, uint64_t to)
{
    uint64_t before = get(counter);

    while (to > before &&
           !__atomic_compare_exchange_n(counter, &before, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static unsigned place_of(unsigned device)
{
    return device < DEVICES_MOST ? device : DEVICES_MOST - 1;
}

static struct device *device_of(enum device_kind kind, unsigned number)
{
    struct device *device = &devices[place_of(number)];

    if (__atomic_load_n(&device->kind, __ATOMIC_RELAXED) != (uint32_t)kind && kind != DEVICE_GPU)
        __atomic_store_n(&device->kind, (uint32_t)kind, __ATOMIC_RELAXED);
    else if (__atomic_load_n(&device->kind, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&device->kind, (uint32_t)DEVICE_GPU, __ATOMIC_RELAXED);
    __atomic_store_n(&seen, true, __ATOMIC_RELAXED);
    return device;
}

static uint64_t used_of(const struct device *device)
{
    return get(&device->outside) + get(&device->pool_used);
}

static uint64_t pool_of(const struct device *device)
{
    const uint64_t said = get(&device->pool_said);
    const uint64_t most = said ? said : get(&device->pool_seen), used = get(&device->pool_used);

    return most > used ? most : used;
}

/* ---- samples ---- */

struct born {
    uint64_t address, bytes, weight;
    unsigned device; /* its number */
    bool tensor;     /* the tensor layer reports it */
    const void *frame;
};

/* Sites keep their weights of the moment in which a peak is marked. */
static void look_for_peak(void)
{
    const uint64_t before = get(&peak_used);
    uint64_t used = 0;

    for (unsigned i = 0; i < DEVICES_MOST; i++)
        used += used_of(&devices[i]);
    if (used < before + before / PEAK_STEP + PEAK_LEAST)
        return;
    __atomic_store_n(&peak_used, used, __ATOMIC_RELAXED);
    site_mark_device_peak();
}

static void note_born(void *context)
{
    const struct born *born = context;
    struct ledger *ledger = state_ledger();
    struct block_record record = {.size = born->bytes, .weight = born->weight};

    if (!ledger)
        return;
    record.birth = state_ordinal();
    record.site = site_find(ledger, stack_take(ledger, born->frame, NULL), born->device, SITE_DEVICE);
    sample_keep(ledger, born->address, &record);
    if (born->tensor)
        look_for_peak();
    step_slice();
}

static void block_born(struct born born)
{
    struct thread *thread = thread_self ? thread_self : thread_attach();

    if (!thread || state_is_off())
        return;
    born.weight = born.bytes * choice_make(&choice, &thread->random, born.bytes, raw_now());
    if (born.weight == 0)
        return;
    if (thread->busy) {
        state_lose(LOST_reentered, 1);
        return;
    }
    thread->busy = 1;
    if (!spare_stack_call(note_born, &born))
        state_lose(LOST_stack_small, 1);
    thread->busy = 0;
}

static void block_dead(uint64_t address)
{
    void *const block = (void *)(uintptr_t)address; /* of the device: a number, which is never read */

    if (filter_may_hold(block))
        sample_dead(block);
}

/* ---- the two layers ---- */

/* Perhaps a pool takes it, and hands out a part of it at once: then only the part is in use. So whether this
 * is the most, or a peak of the devices, is found out later: before anything is given back. */
void device_memory_taken(enum device_kind kind, unsigned device, uint64_t address, uint64_t bytes,
                         const void *frame)
{
    const int saved = errno;
    struct device *to = device_of(kind, device);

    add(&to->outside, bytes);
    add(&to->blocks, 1);
    block_born((struct born){
        .address = address, .bytes = bytes, .device = place_of(device), .frame = frame});
    errno = saved;
}

void device_memory_given_back(unsigned device, uint64_t address, uint64_t bytes, bool pool)
{
    const int saved = errno;
    struct device *from = &devices[place_of(device)];

    if (pool) {
        subtract(&from->pool_seen, bytes);
        return;
    }
    raise(&from->most, used_of(from));
    look_for_peak();
    subtract(&from->outside, bytes);
    subtract(&from->blocks, 1);
    block_dead(address);
    errno = saved;
}

void device_memory_refused(enum device_kind kind, unsigned device, uint64_t bytes, uint64_t free)
{
    struct device *of = device_of(kind, device);
    const uint64_t now = state_ordinal();

    __atomic_store_n(&of->failed_used, used_of(of), __ATOMIC_RELAXED);
    __atomic_store_n(&of->failed_taken, get(&of->outside) + pool_of(of), __ATOMIC_RELAXED);
    if (free || get(&of->failed_ordinal) != now) /* the framework's report follows the driver's */
        __atomic_store_n(&of->failed_free, free, __ATOMIC_RELAXED);
    __atomic_store_n(&of->failed_ordinal, now, __ATOMIC_RELAXED);
    __atomic_store_n(&of->failed_bytes, bytes, __ATOMIC_RELAXED);
}

void device_memory_pinned(uint64_t bytes)
{
    add(&pinned, bytes);
}

void device_memory_unpinned(uint64_t bytes)
{
    subtract(&pinned, bytes);
}

/* What the pool hands this block out of is the pool's, and is not in use by itself. */
static void claim(uint64_t address, uint64_t bytes)
{
    uint64_t from = address, at;
    struct driver_block block;

    while (driver_blocks_claim(&from, address + bytes, &at, &block)) {
        struct device *of = &devices[place_of(block.device)];

        subtract(&of->outside, block.bytes);
        subtract(&of->blocks, 1);
        add(&of->pool_seen, block.bytes);
        block_dead(at);
    }
}

void device_memory_handed_out(enum device_kind kind, unsigned device, uint64_t address, uint64_t bytes,
                              const void *frame)
{
    const int saved = errno;
    struct device *to = device_of(kind, device);

    claim(address, bytes);
    add(&to->pool_used, bytes);
    add(&to->blocks, 1);
    raise(&to->most, used_of(to));
    block_born((struct born){.address = address,
                             .bytes = bytes,
                             .device = place_of(device),
                             .tensor = true,
                             .frame = frame});
    errno = saved;
}

void device_memory_returned(unsigned device, uint64_t address, uint64_t bytes)
{
    const int saved = errno;
    struct device *from = &devices[place_of(device)];

    raise(&from->most, used_of(from));
    subtract(&from->pool_used, bytes);
    subtract(&from->blocks, 1);
    block_dead(address);
    errno = saved;
}

void device_memory_pool(unsigned device, uint64_t bytes)
{
    __atomic_store_n(&devices[place_of(device)].pool_said, bytes, __ATOMIC_RELAXED);
}

/* ---- for the ledger ---- */

bool device_memory_is_seen(void)
{
    return __atomic_load_n(&seen, __ATOMIC_RELAXED);
}

void device_memory_gauges(uint64_t gauges[LEDGER_GAUGES])
{
    uint64_t used = 0, taken = 0, blocks = 0;

    if (get(&pinned))
        gauges[GAUGE_device_pinned] = get(&pinned);
    if (!device_memory_is_seen())
        return;
    for (unsigned i = 0; i < DEVICES_MOST; i++) {
        raise(&devices[i].most, used_of(&devices[i]));
        used += used_of(&devices[i]);
        taken += get(&devices[i].outside) + pool_of(&devices[i]);
        blocks += get(&devices[i].blocks);
    }
    look_for_peak();
    gauges[GAUGE_device_used] = used;
    gauges[GAUGE_device_taken] = taken;
    gauges[GAUGE_device_blocks] = blocks;
}

static void write_one(struct device_record *out, const struct device *device, unsigned index)
{
    out->index = index;
    out->seen = 1;
    __atomic_store_n(&out->used, used_of(device), __ATOMIC_RELAXED);
    __atomic_store_n(&out->taken, get(&device->outside) + pool_of(device), __ATOMIC_RELAXED);
    __atomic_store_n(&out->most, get(&device->most), __ATOMIC_RELAXED);
    __atomic_store_n(&out->blocks, get(&device->blocks), __ATOMIC_RELAXED);
    __atomic_store_n(&out->pool, pool_of(device), __ATOMIC_RELAXED);
    __atomic_store_n(&out->pool_used, get(&device->pool_used), __ATOMIC_RELAXED);
    __atomic_store_n(&out->peak, site_device_peaks(), __ATOMIC_RELAXED);
    __atomic_store_n(&out->failed_bytes, get(&device->failed_bytes), __ATOMIC_RELAXED);
    __atomic_store_n(&out->failed_used, get(&device->failed_used), __ATOMIC_RELAXED);
    __atomic_store_n(&out->failed_taken, get(&device->failed_taken), __ATOMIC_RELAXED);
    __atomic_store_n(&out->failed_free, get(&device->failed_free), __ATOMIC_RELAXED);
    __atomic_store_n(&out->failed_ordinal, get(&device->failed_ordinal), __ATOMIC_RELAXED);
    __atomic_store_n(&out->kind, __atomic_load_n(&device->kind, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
}

/* The kind is written last: then the record is there. */
static void write_adapter_device(struct device_record *out, const uint64_t gauges[LEDGER_GAUGES])
{
    const uint64_t used = gauges[GAUGE_device_used], taken = gauges[GAUGE_device_taken];

    if (used == 0 && taken == 0 && out->kind == 0)
        return;
    __atomic_store_n(&out->used, used, __ATOMIC_RELAXED);
    __atomic_store_n(&out->taken, taken, __ATOMIC_RELAXED);
    if (used > out->most)
        __atomic_store_n(&out->most, used, __ATOMIC_RELAXED);
    __atomic_store_n(&out->kind, (uint32_t)DEVICE_GPU, __ATOMIC_RELEASE);
}

void device_memory_write(struct ledger *ledger, const uint64_t gauges[LEDGER_GAUGES])
{
    struct device_record *records = ledger_records(ledger, SECTION_devices);

    if (!device_memory_is_seen()) {
        write_adapter_device(&records[0], gauges);
        return;
    }
    for (unsigned i = 0; i < DEVICES_MOST; i++)
        if (__atomic_load_n(&devices[i].kind, __ATOMIC_RELAXED))
            write_one(&records[i], &devices[i], i);
}

void device_memory_describe(struct ledger *ledger, const struct device_description *about)
{
    struct device_record *out = (struct device_record *)ledger_records(ledger, SECTION_devices) +
                                place_of(about->index);
    struct block_record block;

    if (!out->name && about->name && *about->name)
        out->name = ledger_string(ledger, about->name, strlen(about->name));
    out->memory = about->memory ? about->memory : out->memory;
    for (unsigned i = 0; i < DEVICE_ROLES; i++)
        __atomic_store_n(&out->roles[i], about->roles[i], __ATOMIC_RELAXED);
    __atomic_store_n(&out->returnable, about->returnable, __ATOMIC_RELAXED);
    __atomic_store_n(&out->pinned, about->pinned, __ATOMIC_RELAXED);
    __atomic_store_n(&out->pinning_site,
                     about->pinning && live_find(ledger, about->pinning, &block) ? block.site : 0,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&out->asked, state_ordinal(), __ATOMIC_RELAXED);
}

void device_memory_forked(void)
{
    memset(devices, 0, sizeof(devices));
    seen = false;
    pinned = peak_used = 0;
    memset(&choice, 0, sizeof(choice));
}
