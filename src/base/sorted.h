/* sorted.h - binary search in a sorted array. No heap, no state. */
#ifndef TARE_BASE_SORTED_H
#define TARE_BASE_SORTED_H

#include <stdbool.h>
#include <stddef.h>

/* Does the entry come before the place? True for the first entries of the array, false for the others. */
typedef bool sorted_is_before(const void *entry, const void *place);

/* How many entries come before the place; also the index of the first that does not. `size`: bytes of
 * one entry. */
static inline size_t sorted_before(const void *entries, size_t count, size_t size,
                                   sorted_is_before *is_before, const void *place)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (is_before((const char *)entries + middle * size, place))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif /* TARE_BASE_SORTED_H */
