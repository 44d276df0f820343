/* field_cache.c - features computed per request are cached by request number. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { BUCKETS = 256, WIDTH = 200 };

struct entry {
    struct entry *next;
    uint64_t key;
    float features[WIDTH];
};

struct service {
    const char *name;
    struct entry *buckets[BUCKETS];
    size_t hits, misses;
};

static struct service service = {.name = "features"};

static const float *lookup(uint64_t key)
{
    struct entry **bucket = &service.buckets[key % BUCKETS];
    struct entry *entry;

    for (entry = *bucket; entry; entry = entry->next) {
        if (entry->key == key) {
            service.hits++;
            return entry->features;
        }
    }
    service.misses++;
    entry = malloc(sizeof(*entry));
    entry->key = key;
    fill_floats(entry->features, WIDTH, key);
    entry->next = *bucket;
    *bucket = entry;
    return entry->features;
}

int main(void)
{
    uint64_t request = 1000;

    for (uint64_t step = 0; step < 350; step++) {
        tare_step(step);
        for (int i = 0; i < 3; i++)
            learn(lookup(request++), WIDTH, 2);
    }
    printf("%s: %zu hits, %zu misses\n", service.name, service.hits, service.misses);
    return 0;
}
