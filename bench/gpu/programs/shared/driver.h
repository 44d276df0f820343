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

static size_t unused_before; /* bytes free on the device once there is a context */

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
}

/* `allocated`: bytes that the program has not given back. `growth`: of them per step. */
static void driver_report(int steps, size_t allocated, size_t growth)
{
    size_t unused, total;

    check(driver.info(&unused, &total), "cuMemGetInfo");
    printf("{\"steps\": %d, \"growth_per_step\": %zu, \"memory_allocated\": %zu, \"device_growth\": %zd}\n",
           steps, growth, allocated, (ssize_t)(unused_before - unused));
}

#endif /* SHARED_DRIVER_H */
