/* plugin_cycle.c - the activation function is looked up in a shared library that is opened and
 * closed again in every step.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

typedef float activation(float);

static void apply(const char *name, float *values, size_t n)
{
    void *plugin = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    activation *function;

    if (!plugin)
        abort();
    *(void **)&function = dlsym(plugin, name);
    for (size_t i = 0; i < n && function; i++)
        values[i] = function(values[i]);
    dlclose(plugin);
}

int main(void)
{
    static const char *const names[] = {"tanhf", "expf", "erff"};
    double sum = 0;

    for (uint64_t step = 0; step < 500; step++) {
        float *values;

        tare_step(step);
        values = malloc(4000 * sizeof(*values));
        fill_floats(values, 4000, step);
        apply(names[step % 3], values, 4000);
        sum += (double)learn(values, 4000, 5);
        free(values);
    }
    printf("sum %.3f\n", sum);
    return 0;
}
