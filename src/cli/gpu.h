/* gpu.h - the memory of the device that the program works on, as its driver tells it.
 *
 * NVIDIA's NVML, found while the program runs: nothing is linked, and where it is missing there is no device.
 */
#ifndef TARE_CLI_GPU_H
#define TARE_CLI_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GPU_NAME 96

struct gpu {
    void *library; /* NULL: not loaded */
    bool missing;  /* it was looked for in vain */
    void *device;  /* NULL: not found yet */
    char name[GPU_NAME];
};

struct gpu_memory {
    uint64_t bytes, used; /* by all programs */
};

/* Of the only device there is, or of the one on which one of these processes works. False: there is none. To
 * begin takes some 20 ms. */
bool gpu_read(struct gpu *gpu, const pid_t *pids, size_t count, struct gpu_memory *out);
void gpu_close(struct gpu *gpu);

#endif /* TARE_CLI_GPU_H */
