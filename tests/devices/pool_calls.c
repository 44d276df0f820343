/* pool_calls.c - a framework's pool over a driver: segments of the driver, blocks as PyTorch reports them.
 *
 * After each step: bytes in use, bytes taken from the driver, blocks in use, as they are by definition.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#define MB         (1ull << 20)
#define SEGMENT    (20 * MB)
#define PART       (2 * MB)
#define AREA       0x7000000000ull

struct device {
    int8_t type, index;
};

#define REPORT _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE

void REPORT(void *, int64_t, uint64_t, uint64_t, struct device);
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(uint64_t *, size_t);
int cuMemFree_v2(uint64_t);
int cuMemCreate(uint64_t *, size_t, const void *, uint64_t);
int cuMemMap(uint64_t, size_t, size_t, uint64_t, uint64_t);
int cuMemUnmap(uint64_t, size_t);
int cuMemRelease(uint64_t);

static uint64_t used, reserved;

static void report(uint64_t address, int64_t bytes)
{
    used += (uint64_t)bytes;
    REPORT((void *)(uintptr_t)address, bytes, used, reserved, (struct device){1, 0});
}

static void step(uint64_t outside, uint64_t blocks)
{
    static uint64_t number;

    tare_step(number++);
    printf("%lu %lu %lu\n", used + outside, reserved + outside, blocks);
}

static uint64_t take(size_t bytes)
{
    uint64_t made = 0;

    if (cuMemAlloc_v2(&made, bytes) != 0)
        exit(1);
    return made;
}

/* The segments that PyTorch's pool takes from the driver, and a workspace beside them. */
static void segments(void)
{
    uint64_t segment, second, workspace;

    workspace = take(8 * MB);
    step(8 * MB, 1);
    segment = take(SEGMENT);
    reserved += SEGMENT;
    report(segment, MB);
    step(8 * MB, 2);
    for (int i = 1; i < 10; i++)
        report(segment + (uint64_t)i * MB, MB);
    step(8 * MB, 11);
    second = take(SEGMENT);
    reserved += SEGMENT;
    report(second, SEGMENT);
    step(8 * MB, 12);
    for (int i = 0; i < 10; i++)
        report(segment + (uint64_t)i * MB, -(int64_t)MB);
    step(8 * MB, 2);
    cuMemFree_v2(segment);
    reserved -= SEGMENT;
    report(second, -(int64_t)SEGMENT);
    step(8 * MB, 1);
    cuMemFree_v2(second);
    reserved -= SEGMENT;
    cuMemFree_v2(workspace);
    segment = take(SEGMENT); /* the report that reserves nothing comes with the next block */
    reserved += SEGMENT;
    report(segment, SEGMENT);
    step(0, 1);
    report(segment, -(int64_t)SEGMENT);
    step(0, 0);
    cuMemFree_v2(segment);
    reserved -= SEGMENT;
}

/* Segments that grow: parts of the driver's memory, mapped one after the other. A block lies in several. */
static void parts(uint64_t *handles, unsigned from, unsigned to)
{
    const struct { int type, exported, place, number; } here = {.place = 1};

    for (unsigned i = from; i < to; i++)
        if (cuMemCreate(&handles[i], PART, &here, 0) != 0 ||
            cuMemMap(AREA + i * PART, PART, 0, handles[i], 0) != 0)
            exit(1);
    reserved += (to - from) * PART;
}

static void growing(void)
{
    static uint64_t handles[64];

    parts(handles, 0, 3);
    report(AREA, (int64_t)(5 * MB));
    step(0, 1);
    parts(handles, 3, 10);
    report(AREA + 5 * MB, (int64_t)(15 * MB));
    step(0, 2);
    parts(handles, 10, 64);
    report(AREA + 20 * MB, (int64_t)(108 * MB));
    step(0, 3);
    report(AREA + 20 * MB, -(int64_t)(108 * MB));
    step(0, 2);
    for (unsigned i = 10; i < 64; i++) {
        cuMemUnmap(AREA + i * PART, PART);
        cuMemRelease(handles[i]);
        reserved -= PART;
    }
    report(AREA, -(int64_t)(5 * MB));
    step(0, 1);
    report(AREA + 5 * MB, -(int64_t)(15 * MB));
    step(0, 0);
}

int main(void)
{
    void *context;

    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    segments();
    growing();
    return 0;
}
