/* test_sorted.c - binary search in sorted arrays of every small size. */
#include "base/sorted.h"
#include "test.h"

struct entry {
    uint32_t number;
    char rest[3]; /* entries need not be as wide as what is compared */
};

static bool is_less(const void *entry, const void *number)
{
    return ((const struct entry *)entry)->number < *(const uint32_t *)number;
}

static bool is_at_most(const void *entry, const void *number)
{
    return ((const struct entry *)entry)->number <= *(const uint32_t *)number;
}

/* Entries 0, 0, 2, 2, 4, 4, …: each number twice. */
TEST(sorted_counts_the_entries_before_a_place)
{
    struct entry entries[9];

    for (uint32_t i = 0; i < 9; i++)
        entries[i].number = i / 2 * 2;
    for (size_t count = 0; count <= 9; count++)
        for (uint32_t number = 0; number <= 10; number++) {
            size_t less = 0, at_most = 0;

            for (size_t i = 0; i < count; i++) {
                less += entries[i].number < number;
                at_most += entries[i].number <= number;
            }
            CHECK_EQ(sorted_before(entries, count, sizeof(entries[0]), is_less, &number), less);
            CHECK_EQ(sorted_before(entries, count, sizeof(entries[0]), is_at_most, &number), at_most);
        }
    CHECK_EQ(sorted_before(NULL, 0, sizeof(entries[0]), is_less, &entries[0].number), 0);
}
