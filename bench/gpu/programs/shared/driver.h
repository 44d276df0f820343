/* driver.h - the driver of the device, opened by name as the CUDA runtime opens it.
 *
 * Nothing of CUDA is needed to build this. A call that fails ends the program.
 */
#ifndef SHARED_DRIVER_H
#define SHARED_DRIVER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PACE 5000 /* microseconds between two steps */

typedef unsigned long long device_pointer;

static struct {
    int (*init)(unsigned flags);
    int (*device)(int *device, int index);
    int (*retain)(void **context, int device);
    int (*use)(void *context);
    int (*alloc)(device_pointer *block, size_t bytes);
    int (*free)(device_pointer block);
    int (*fill)(device_pointer block, unsigned char value, size_t bytes);
    int (*info)(size_t *unused, size_t *total);
} driver;

/* Once there is a context: bytes of this process as NVML counts them (0: not known), and bytes free on the
 * device. */
static unsigned long long context_bytes;
static size_t unused_before;

/* nvmlProcessInfo_t */
struct nvml_process {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

static void check(int error, const char *what)
{
    if (error) {
        fprintf(stderr, "%s failed: %d\n", what, error);
        exit(70);
    }
}

static void driver_find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    check(!*(void **)function, name);
}

/* Bytes of this process on the first device; 0: the driver does not say. */
static unsigned long long process_bytes(void)
{
    struct nvml_process processes[64];
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW), *handle;
    int (*init)(void), (*device)(unsigned, void **), (*list)(void *, unsigned *, struct nvml_process *);
    unsigned count = 64;

    if (!library)
        return 0;
    driver_find(library, "nvmlInit_v2", &init);
    driver_find(library, "nvmlDeviceGetHandleByIndex_v2", &device);
    driver_find(library, "nvmlDeviceGetComputeRunningProcesses_v3", &list);
    if (init() || device(0, &handle) || list(handle, &count, processes))
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (processes[i].pid == (unsigned)getpid() && processes[i].used != ~0ull)
            return processes[i].used;
    return 0;
}

/* The primary context of the first device is current afterwards. */
static void driver_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
    size_t total;
    int device;

    check(!library, "dlopen");
    driver_find(library, "cuInit", &driver.init);
    driver_find(library, "cuDeviceGet", &driver.device);
    driver_find(library, "cuDevicePrimaryCtxRetain", &driver.retain);
    driver_find(library, "cuCtxSetCurrent", &driver.use);
    driver_find(library, "cuMemAlloc_v2", &driver.alloc);
    driver_find(library, "cuMemFree_v2", &driver.free);
    driver_find(library, "cuMemsetD8_v2", &driver.fill);
    driver_find(library, "cuMemGetInfo_v2", &driver.info);
    check(driver.init(0), "cuInit");
    check(driver.device(&device, 0), "cuDeviceGet");
    check(driver.retain(&context, device), "cuDevicePrimaryCtxRetain");
    check(driver.use(context), "cuCtxSetCurrent");
    check(driver.info(&unused_before, &total), "cuMemGetInfo");
    context_bytes = process_bytes();
}

/* `allocated`: bytes that the program has not given back. `growth`: of them per step. */
static void driver_report(int steps, size_t allocated, size_t growth)
{
    size_t unused, total;

    check(driver.info(&unused, &total), "cuMemGetInfo");
    printf("{\"steps\": %d, \"growth_per_step\": %zu, \"memory_allocated\": %zu, \"device_growth\": %zd, ",
           steps, growth, allocated, (ssize_t)(unused_before - unused));
    if (context_bytes)
        printf("\"context\": %llu, \"process\": %llu}\n", context_bytes, process_bytes());
    else
        printf("\"context\": null, \"process\": null}\n");
}

#endif /* SHARED_DRIVER_H */
