/* driver_results.c - compute on the device through its driver, and collect the results. */
#include <tare/mark.h>

#include "shared/driver.h"

#define STEPS 500
#define BYTES (256 << 10)

static device_pointer results[STEPS];

int main(void)
{
    device_pointer input;

    driver_open();
    for (int step = 0; step < STEPS; step++) {
        tare_step((uint64_t)step);
        check(driver.alloc(&input, BYTES), "cuMemAlloc");
        check(driver.fill(input, (unsigned char)step, BYTES), "cuMemsetD8");
        check(driver.alloc(&results[step], BYTES), "cuMemAlloc");
        check(driver.fill(results[step], (unsigned char)~step, BYTES), "cuMemsetD8");
        check(driver.free(input), "cuMemFree");
        usleep(PACE);
    }
    driver_report(STEPS, (size_t)STEPS * BYTES, BYTES);
    return 0;
}
