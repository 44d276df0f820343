/* driver.c - see driver.h. */
#include "probe/devices/driver.h"

#include <errno.h>
#include <string.h>

#include "probe/devices/device_memory.h"
#include "probe/devices/driver_blocks.h"

#define OUT_OF_MEMORY 2 /* of both drivers */

const struct driver_entry driver_entries[DRIVER_ENTRIES] = {
#define DRIVER(kind, name, does) {#name, DEVICE_##kind, DRIVER_##does},
#include "probe/devices/driver.def"
#undef DRIVER
};

unsigned driver_find(const char *name)
{
    unsigned at = 0;

    while (at < DRIVER_ENTRIES && strcmp(driver_entries[at].name, name) != 0)
        at++;
    return at;
}

unsigned driver_find_any(unsigned kind, const char *name)
{
    const size_t length = strlen(name);
    unsigned at = 0;

    while (at < DRIVER_ENTRIES &&
           (driver_entries[at].kind != kind || strncmp(driver_entries[at].name, name, length) != 0 ||
            (driver_entries[at].name[length] != '\0' && driver_entries[at].name[length] != '_')))
        at++;
    return at;
}

/* ---- what the probe asks ---- */

static uintptr_t answers[2][DRIVER_QUESTIONS]; /* atomic: functions of NVIDIA's driver, and of AMD's */

const char *driver_question(unsigned kind, enum driver_question which, bool exact)
{
    switch (which) {
    case ASK_DEVICE:
        return kind == DEVICE_HIP ? "hipGetDevice" : "cuCtxGetDevice";
    case ASK_MEMORY:
        return kind == DEVICE_HIP ? "hipMemGetInfo" : exact ? "cuMemGetInfo_v2" : "cuMemGetInfo";
    default:
        return kind == DEVICE_HIP ? NULL : "cuCtxGetCurrent";
    }
}

uintptr_t *driver_answer(unsigned kind, enum driver_question which)
{
    return &answers[kind == DEVICE_HIP][which];
}

/* False: it is not known, or there is no answer. */
static bool ask(unsigned kind, enum driver_question which, void *first, void *second)
{
    const uintptr_t address = __atomic_load_n(driver_answer(kind, which), __ATOMIC_ACQUIRE);
    int (*function)(void *, void *);

    memcpy(&function, &address, sizeof(function));
    return function && function(first, second) == 0;
}

static uint8_t current_device(unsigned kind)
{
    int number = 0;

    return ask(kind, ASK_DEVICE, &number, NULL) && number >= 0 && number < UINT8_MAX ? (uint8_t)number : 0;
}

/* ---- taken and given back ---- */

uint64_t driver_pass(const struct driver_call *call)
{
    const uint64_t *with = call->arguments;

    return call->original(with[0], with[1], with[2], with[3], with[4], with[5]);
}


static void let_go(uint64_t handle);

/* A block has been taken out of the table. */
static void forget(uint64_t address, const struct driver_block *block)
{
    if (block->what == BLOCK_PINNED)
        device_memory_unpinned(block->bytes);
    else if (block->what == BLOCK_MAPPING)
        let_go(block->owner);
    else
        device_memory_given_back(block->device, address, block->bytes, block->pool);
}

/* A handle has one holder less. */
static void let_go(uint64_t handle)
{
    struct driver_block block;

    if (driver_blocks_let_go(handle, &block))
        forget(handle, &block);
}

/* The same address again: how it was given back was not seen. */
static bool put(uint64_t address, const struct driver_block *block)
{
    struct driver_block old;

    if (driver_blocks_take(address, &old))
        forget(address, &old);
    return driver_blocks_put(address, block);
}

static void taken(const struct driver_call *call, uint64_t address, uint64_t bytes)
{
    struct driver_block block = {.bytes = bytes,
                                 .references = 1,
                                 .what = BLOCK_MEMORY,
                                 .kind = call->entry->kind,
                                 .device = current_device(call->entry->kind)};

    (void)ask(block.kind, ASK_CONTEXT, &block.owner, NULL);
    if (put(address, &block))
        device_memory_taken(block.kind, block.device, address, bytes, call->frame);
}

static void refused(const struct driver_call *call, unsigned device, uint64_t bytes)
{
    size_t free = 0, whole;

    (void)ask(call->entry->kind, ASK_MEMORY, &free, &whole);
    device_memory_refused(call->entry->kind, device, bytes, free);
}

static void note_taken(const struct driver_call *call, uint32_t result)
{
    const bool rows = call->entry->does == DRIVER_take_rows;
    const uint64_t width = rows && result == 0 ? *(const uint64_t *)call->arguments[1] : call->arguments[2];
    const uint64_t bytes = rows ? width * call->arguments[3] : call->arguments[1];

    if (result == 0 && bytes > 0)
        taken(call, *(const uint64_t *)call->arguments[0], bytes);
    else if (result == OUT_OF_MEMORY)
        refused(call, current_device(call->entry->kind), bytes);
}

static void note_pinned(uint8_t kind, uint64_t address, uint64_t bytes)
{
    const struct driver_block block = {
        .bytes = bytes, .references = 1, .what = BLOCK_PINNED, .kind = kind};

    if (put(address, &block))
        device_memory_pinned(bytes);
}

/* ---- memory without an address of its own ---- */

#define PLACE_DEVICE 1

/* The beginning of CUmemAllocationProp, and of AMD's structure. */
struct placement {
    int type, exported_as;
    int place; /* PLACE_DEVICE, or one of the host's */
    int number;
};

static void note_created(const struct driver_call *call, uint32_t result)
{
    const struct placement *place = (const struct placement *)call->arguments[2];
    const uint64_t bytes = call->arguments[1];
    const bool host = place->place != PLACE_DEVICE;
    struct driver_block block = {.bytes = bytes,
                                 .references = 1,
                                 .what = host ? BLOCK_PINNED : BLOCK_HANDLE,
                                 .kind = call->entry->kind,
                                 .device = (uint8_t)place->number};
    uint64_t address;

    if (result == OUT_OF_MEMORY && !host)
        refused(call, block.device, bytes);
    if (result != 0)
        return;
    address = DRIVER_HANDLE(*(const uint64_t *)call->arguments[0]);
    if (!put(address, &block))
        return;
    if (host)
        device_memory_pinned(bytes);
    else
        device_memory_taken(block.kind, block.device, address, bytes, call->frame);
}

static void note_mapped(const struct driver_call *call)
{
    const struct driver_block block = {.bytes = call->arguments[1],
                                       .owner = DRIVER_HANDLE(call->arguments[3]),
                                       .references = 1,
                                       .what = BLOCK_MAPPING,
                                       .kind = call->entry->kind};

    driver_blocks_hold(block.owner);
    if (!put(call->arguments[0], &block))
        let_go(block.owner);
}

static void note_unmapped(uint64_t from, uint64_t bytes)
{
    struct driver_choice mapped = {
        .from = from, .end = from + bytes, .device = -1, .what = BLOCK_MAPPING};
    struct driver_block block;
    uint64_t at;

    if (driver_blocks_take(from, &block)) {
        forget(from, &block);
        if (block.bytes >= bytes)
            return;
    }
    while (driver_blocks_take_one(&mapped, &at, &block))
        forget(at, &block);
}

/* ---- all of it at once ---- */

static void forget_all(struct driver_choice of)
{
    struct driver_block block;
    uint64_t at;

    of.end = UINT64_MAX;
    of.what = BLOCK_MEMORY;
    while (driver_blocks_take_one(&of, &at, &block))
        forget(at, &block);
}

/* ---- calls ---- */

/* Another thread may get the same address as soon as the driver has it back. What fails to be given back
 * is lost with the driver's context, or was never taken. */
static void note_before(const struct driver_call *call)
{
    const uint64_t first = call->arguments[0];
    const uint8_t kind = call->entry->kind;
    struct driver_block block;

    switch ((enum driver_does)call->entry->does) {
    case DRIVER_give:
        if (driver_blocks_take(first, &block))
            forget(first, &block);
        break;
    case DRIVER_release:
        let_go(DRIVER_HANDLE(first));
        break;
    case DRIVER_unmap:
        note_unmapped(first, call->arguments[1]);
        break;
    case DRIVER_destroy:
        forget_all((struct driver_choice){.owner = first, .device = -1, .kind = kind});
        break;
    case DRIVER_reset:
        forget_all((struct driver_choice){.device = (int)first, .kind = kind});
        break;
    case DRIVER_reset_current:
        forget_all((struct driver_choice){.device = current_device(kind), .kind = kind});
        break;
    default:
        break;
    }
}

static void note_after(const struct driver_call *call, uint32_t result)
{
    const uint64_t *with = call->arguments;
    const enum driver_does does = call->entry->does;

    if (does == DRIVER_take || does == DRIVER_take_rows)
        note_taken(call, result);
    else if (does == DRIVER_create)
        note_created(call, result);
    else if (result != 0)
        return;
    else if (does == DRIVER_retain)
        driver_blocks_hold(DRIVER_HANDLE(*(const uint64_t *)with[0]));
    else if (does == DRIVER_map)
        note_mapped(call);
    else if (does == DRIVER_pin)
        note_pinned(call->entry->kind, *(const uint64_t *)with[0], with[1]);
    else if (does == DRIVER_pin_here)
        note_pinned(call->entry->kind, with[0], with[1]);
}

uint64_t driver_do(const struct driver_call *call)
{
    int saved = errno;
    uint64_t result;

    note_before(call);
    errno = saved;
    result = driver_pass(call);
    saved = errno;
    note_after(call, (uint32_t)result);
    errno = saved;
    return result;
}
