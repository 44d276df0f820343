/* intern.h - texts, each kept once, numbered in the order in which they first came. */
#ifndef TARE_BASE_INTERN_H
#define TARE_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern_entry {
    char *bytes; /* owned; terminated, though it may hold zeros */
    size_t length;
    uint64_t hash;
};

/* Zeroed: empty. */
struct intern {
    struct intern_entry *entries; /* owned */
    size_t count, room;
    uint32_t *slots; /* owned: number + 1, open addressing */
    size_t slot_count;
};

#define INTERN_NONE SIZE_MAX

/* The number of these bytes, from 0 on; INTERN_NONE: no memory. */
size_t intern_number(struct intern *intern, const char *bytes, size_t length);
size_t intern_text(struct intern *intern, const char *text); /* NULL counts as "" */
void intern_fini(struct intern *intern);

/* 64 bits of FNV-1a. */
uint64_t intern_hash(const char *bytes, size_t length);

#endif /* TARE_BASE_INTERN_H */
