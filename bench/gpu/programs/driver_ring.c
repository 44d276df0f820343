/* driver_ring.c - compute on the device through its driver, in a ring of sixteen blocks. */
#include <tare/mark.h>

#include "shared/driver.h"

#define STEPS 500
#define RING  16
#define BYTES (8 << 20)

static device_pointer ring[RING];

int main(void)
{
    driver_open();
    for (int step = 0; step < STEPS; step++) {
        device_pointer *block = &ring[step % RING];

        tare_step((uint64_t)step);
        if (*block)
            check(driver.free(*block), "cuMemFree");
        check(driver.alloc(block, BYTES), "cuMemAlloc");
        check(driver.fill(*block, (unsigned char)step, BYTES), "cuMemsetD8");
        usleep(PACE);
    }
    driver_report(STEPS, (size_t)RING * BYTES, 0);
    return 0;
}
