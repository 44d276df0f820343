/* driver_batches.c - compute on the device through its driver, with a mask for every batch. */
#include <tare/mark.h>

#include "shared/driver.h"

#define STEPS 500
#define BYTES (1 << 20)
#define MASK  (128 << 10)

static device_pointer make_mask(int step)
{
    device_pointer mask;

    check(driver.alloc(&mask, MASK), "cuMemAlloc");
    check(driver.fill(mask, (unsigned char)step, MASK), "cuMemsetD8");
    return mask;
}

static void compute(int step)
{
    device_pointer batch;

    check(driver.alloc(&batch, BYTES), "cuMemAlloc");
    check(driver.fill(batch, make_mask(step) ? 1 : 0, BYTES), "cuMemsetD8");
    check(driver.free(batch), "cuMemFree");
}

int main(void)
{
    driver_open();
    for (int step = 0; step < STEPS; step++) {
        tare_step((uint64_t)step);
        compute(step);
        usleep(PACE);
    }
    driver_report(STEPS, (size_t)STEPS * MASK, MASK);
    return 0;
}
