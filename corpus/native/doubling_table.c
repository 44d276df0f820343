/* doubling_table.c - n-gram counts in a hash table that doubles; the text repeats after a while. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

struct table {
    uint64_t *keys;
    uint32_t *counts;
    size_t room, used;
};

static void count(struct table *table, uint64_t key, uint32_t times);

static void twice(struct table *table)
{
    struct table bigger = {NULL, NULL, table->room * 2, 0};

    bigger.keys = calloc(bigger.room, sizeof(*bigger.keys));
    bigger.counts = calloc(bigger.room, sizeof(*bigger.counts));
    for (size_t i = 0; i < table->room; i++)
        if (table->keys[i])
            count(&bigger, table->keys[i], table->counts[i]);
    free(table->keys);
    free(table->counts);
    *table = bigger;
}

static void count(struct table *table, uint64_t key, uint32_t times)
{
    size_t slot;

    if (table->used * 4 >= table->room * 3)
        twice(table);
    slot = (key * 0x9E3779B97F4A7C15ULL) % table->room;
    while (table->keys[slot] && table->keys[slot] != key)
        slot = (slot + 1) % table->room;
    if (!table->keys[slot]) {
        table->keys[slot] = key;
        table->used++;
    }
    table->counts[slot] += times;
}

int main(void)
{
    struct table table = {calloc(64, sizeof(uint64_t)), calloc(64, sizeof(uint32_t)), 64, 0};

    for (uint64_t step = 0; step < 600; step++) {
        tare_step(step);
        for (uint64_t i = 0; i < 400; i++)
            count(&table, 1 + (step * 400 + i) % 70000, 1);
        learn(NULL, 0, 5);
    }
    printf("%zu n-grams\n", table.used);
    free(table.keys);
    free(table.counts);
    return 0;
}
