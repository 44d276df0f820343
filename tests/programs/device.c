/* device.c - plays the adapter of a framework that counts the memory of a device.
 *
 * In each of 40 marked steps it says how many bytes are in use and how many the framework has taken. In use
 * are most, 30,000, at step 30; at the end it is 5,000.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "probe/entry/adapter_abi.h"

int main(void)
{
    const struct tare_adapter *adapter = (const struct tare_adapter *)dlsym((void *)0, "tare_adapter");

    if (adapter && !TARE_ADAPTER_HAS(adapter, gauge))
        adapter = NULL;
    for (uint64_t i = 1; i <= 40; i++) {
        if (adapter) {
            adapter->gauge(GAUGE_device_used, i <= 30 ? 1000 * i : 5000);
            adapter->gauge(GAUGE_device_taken, 60000);
        }
        free(malloc(1000));
        tare_step(i);
    }
    return adapter ? 0 : 1;
}
