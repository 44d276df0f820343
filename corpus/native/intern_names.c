/* intern_names.c - names of tensors are interned, so that they can be compared by address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { SLOTS = 1 << 16 };

static char *interned[SLOTS];

static const char *intern(const char *name)
{
    uint64_t hash = 1469598103934665603ULL;

    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211ULL;
    for (size_t slot = hash % SLOTS;; slot = (slot + 1) % SLOTS) {
        if (!interned[slot])
            return interned[slot] = strdup(name);
        if (strcmp(interned[slot], name) == 0)
            return interned[slot];
    }
}

int main(void)
{
    size_t length = 0;

    for (uint64_t step = 0; step < 400; step++) {
        char name[128];

        tare_step(step);
        for (int layer = 0; layer < 12; layer++) {
            snprintf(name, sizeof(name), "model/encoder/layer_%02d/attention/output/grad@%08llu",
                     layer, (unsigned long long)step);
            length += strlen(intern(name));
            snprintf(name, sizeof(name), "model/encoder/layer_%02d/attention/output", layer);
            length += strlen(intern(name));
        }
        learn(NULL, 0, 6);
    }
    printf("%zu letters\n", length);
    return 0;
}
