/* counts.c - numbers that JavaScript writes into an array, and the probe reads from it at every
 * step. */
#include "instance.h"

/* Where the probe reads the gauges; NULL: nowhere any more. */
void counts_report(const double *counts)
{
    static const struct {
        enum gauge_id gauge;
        unsigned place;
    } places[] = {{GAUGE_tensors, 0},     {GAUGE_tensor_bytes, 1}, {GAUGE_tensors_unused, 3},
                  {GAUGE_device_used, 4}, {GAUGE_device_taken, 5}};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        probe->gauge_at(places[i].gauge, counts ? counts + places[i].place : NULL);
}

/* counters(array of eight doubles): these are gauges from now on, read at every step. The add-on
 * writes two of them: the third, how many tensors the collector has released, and the last but one,
 * how often the doctor had it run. The last counts the program's own work while its device is
 * awaited. */
napi_value counts_begin(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count, length = 0;
    struct instance *instance = instance_called(env, info, &count, arguments);
    void *data = NULL;

    if (count < 1 || instance->counters || instance->is_worker ||
        napi_get_typedarray_info(env, arguments[0], NULL, &length, &data, NULL, NULL) != 0 ||
        length < COUNTS_ALL || !data || napi_create_reference(env, arguments[0], 1, &instance->counters) != 0)
        return NULL;
    instance->counts = data;
    counts_report(instance->counts);
    return NULL;
}

/* syncing(number): 1: a device was asked to finish its work; 0: it has finished. */
napi_value counts_syncing(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    struct instance *instance;
    size_t count;

    instance = instance_called(env, info, &count, arguments);
    instance->syncing = instance_number(env, count, arguments, 0) > 0;
    if (instance->syncing)
        probe->device_sync_begin();
    else
        probe->device_sync_end();
    return NULL;
}
