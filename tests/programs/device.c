/* device.c - plays the adapter of a framework that counts the memory of a device.
 *
 * In each of 40 marked steps it says how many bytes are in use and how many the framework has taken. In use
 * are most, 30,000, at step 30; at the end it is 5,000.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <tare/mark.h>

#define DEVICE_USED  14 /* gauges.def */
#define DEVICE_TAKEN 15

/* The beginning of struct tare_adapter_more, which is frozen. */
struct adapter {
    void (*others[4])(void);
    void (*gauge)(uint32_t gauge, uint64_t value);
};

int main(void)
{
    const struct adapter *adapter = (const struct adapter *)dlsym((void *)0, "tare_adapter_v2");

    for (uint64_t i = 1; i <= 40; i++) {
        if (adapter) {
            adapter->gauge(DEVICE_USED, i <= 30 ? 1000 * i : 5000);
            adapter->gauge(DEVICE_TAKEN, 60000);
        }
        free(malloc(1000));
        tare_step(i);
    }
    return adapter ? 0 : 1;
}
