/* gpu.c - see gpu.h. Names and layouts are those of NVML's public interface, version 11 and later. */
#include "run/system/gpu.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define PROCESSES 256

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_process {
    unsigned pid;
    unsigned long long used;
    unsigned instance, compute_instance;
};

typedef int list_processes(void *device, unsigned *count, struct nvml_process *list);

static void *function(const struct gpu *gpu, const char *name)
{
    return dlsym(gpu->library, name);
}

static void begin(struct gpu *gpu)
{
    int (*init)(void) = NULL;

    gpu->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (gpu->library)
        *(void **)&init = function(gpu, "nvmlInit_v2");
    gpu->missing = !init || init() != 0;
}

/* ---- which device ---- */

static bool contains(const pid_t *pids, size_t count, unsigned pid)
{
    for (size_t i = 0; i < count; i++)
        if ((unsigned)pids[i] == pid)
            return true;
    return false;
}

static bool lists(const struct gpu *gpu, const char *name, void *device, const pid_t *pids,
                  size_t count)
{
    struct nvml_process list[PROCESSES];
    unsigned found = PROCESSES;
    list_processes *read = NULL;

    *(void **)&read = function(gpu, name);
    if (!read || read(device, &found, list) != 0)
        return false;
    for (unsigned i = 0; i < found && i < PROCESSES; i++)
        if (contains(pids, count, list[i].pid))
            return true;
    return false;
}

static bool works_on(const struct gpu *gpu, void *device, const pid_t *pids, size_t count)
{
    return lists(gpu, "nvmlDeviceGetComputeRunningProcesses_v3", device, pids, count) ||
           lists(gpu, "nvmlDeviceGetGraphicsRunningProcesses_v3", device, pids, count);
}

static void find_device(struct gpu *gpu, const pid_t *pids, size_t count)
{
    int (*get_count)(unsigned *) = NULL, (*get)(unsigned, void **) = NULL;
    int (*get_name)(void *, char *, unsigned) = NULL;
    unsigned devices = 0;

    *(void **)&get_count = function(gpu, "nvmlDeviceGetCount_v2");
    *(void **)&get = function(gpu, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&get_name = function(gpu, "nvmlDeviceGetName");
    if (!get_count || !get || get_count(&devices) != 0)
        return;
    for (unsigned i = 0; i < devices && !gpu->device; i++) {
        void *device = NULL;

        if (get(i, &device) == 0 && (devices == 1 || works_on(gpu, device, pids, count)))
            gpu->device = device;
    }
    if (!gpu->device || !get_name || get_name(gpu->device, gpu->name, GPU_NAME) != 0)
        gpu->name[0] = 0;
}

/* ---- reading ---- */

bool gpu_read(struct gpu *gpu, const pid_t *pids, size_t count, struct gpu_memory *out)
{
    int (*get_memory)(void *, struct nvml_memory *) = NULL;
    struct nvml_memory memory;

    if (!gpu->library && !gpu->missing)
        begin(gpu);
    if (gpu->missing)
        return false;
    if (!gpu->device)
        find_device(gpu, pids, count);
    *(void **)&get_memory = function(gpu, "nvmlDeviceGetMemoryInfo");
    if (!gpu->device || !get_memory || get_memory(gpu->device, &memory) != 0 || memory.total == 0)
        return false;
    *out = (struct gpu_memory){memory.total, memory.used};
    return true;
}

void gpu_close(struct gpu *gpu)
{
    int (*shutdown)(void) = NULL;

    if (!gpu->library)
        return;
    *(void **)&shutdown = function(gpu, "nvmlShutdown");
    if (shutdown && !gpu->missing)
        (void)shutdown();
    (void)dlclose(gpu->library);
    memset(gpu, 0, sizeof(*gpu));
}
