/* gpu.h - the memory of the device that the program uses, as its driver reports it.
 *
 * It uses NVIDIA's NVML, loaded while the program runs: nothing is linked, and without it there is
 * no device.
 */
#ifndef TARE_RUN_GPU_H
#define TARE_RUN_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GPU_NAME 96

struct gpu {
    void *library; /* NULL: not loaded */
    bool missing;  /* it was searched for and not found */
    void *device;  /* NULL: not found yet */
    char name[GPU_NAME];
};

struct gpu_memory {
    uint64_t bytes; /* of the device */
    uint64_t used;  /* by all programs together */
};

/* The memory of the only device, or of the one that one of these processes uses. False: there is
 * none. The first call takes about 20 ms. */
bool gpu_read(struct gpu *gpu, const pid_t *pids, size_t count, struct gpu_memory *out);
void gpu_close(struct gpu *gpu);

#endif /* TARE_RUN_GPU_H */
