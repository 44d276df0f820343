/* names_lookup.c - build a table of names, then look names up in it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 50000, BUCKETS = 16384, LOOKUPS = 6000000 };

struct name {
    struct name *next;
    uint32_t number;
    char text[24];
};

static struct name *table[BUCKETS];

static unsigned bucket(const char *text)
{
    unsigned hash = 5381;

    for (; *text; text++)
        hash = hash * 33 + (unsigned char)*text;
    return hash % BUCKETS;
}

static void add(uint32_t number)
{
    struct name *name = malloc(sizeof(*name));

    if (!name)
        exit(1);
    snprintf(name->text, sizeof(name->text), "name-%u", number);
    name->number = number;
    name->next = table[bucket(name->text)];
    table[bucket(name->text)] = name;
}

int main(void)
{
    uint64_t sum = 0;
    uint32_t state = 49;

    for (uint32_t i = 0; i < NAMES; i++)
        add(i);
    for (int i = 0; i < LOOKUPS; i++) {
        char text[24];
        const struct name *name;

        state = state * 1664525u + 1013904223u;
        snprintf(text, sizeof(text), "name-%u", (state >> 8) % (2 * NAMES));
        for (name = table[bucket(text)]; name && strcmp(name->text, text) != 0;)
            name = name->next;
        sum += name ? name->number : 0;
    }
    printf("sum %llu\n", (unsigned long long)sum);
    return 0;
}
