/* known.h - a slot of a cache from a key to a value, shared by all threads without locks.
 *
 * Two words, written one after the other: a pair torn by two writers does not match and reads as a
 * miss. Which slot belongs to a key is the owner's choice. NULL, where there is no cache, is a slot
 * that forgets everything.
 */
#ifndef TARE_PROBE_KNOWN_H
#define TARE_PROBE_KNOWN_H

#include <stdint.h>

struct known {
    uint64_t check; /* atomic, relaxed: key ^ value */
    uint64_t value; /* atomic, relaxed: 0: the slot is empty */
};

/* 0: the key is not known. */
static inline uint64_t known_get(const struct known *slot, uint64_t key)
{
    const uint64_t value = slot ? __atomic_load_n(&slot->value, __ATOMIC_RELAXED) : 0;

    if (value && __builtin_expect(__atomic_load_n(&slot->check, __ATOMIC_RELAXED) == (key ^ value), 1))
        return value;
    return 0;
}

static inline void known_put(struct known *slot, uint64_t key, uint64_t value)
{
    if (slot && value) {
        __atomic_store_n(&slot->check, key ^ value, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->value, value, __ATOMIC_RELAXED);
    }
}

#endif /* TARE_PROBE_KNOWN_H */
