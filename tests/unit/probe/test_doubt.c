/* test_doubt.c - in which order memory is followed, and what leads to a block then. */
#include <stdlib.h>

#include "probe/search/doubt_pure.h"
#include "test.h"

static bool grow(void *list, size_t bytes, size_t new_bytes)
{
    void *longer = realloc(*(void **)list, new_bytes);

    (void)bytes;
    if (longer)
        *(void **)list = longer;
    return longer != NULL;
}

static bool refuse(void *list, size_t bytes, size_t new_bytes)
{
    (void)list;
    (void)bytes;
    (void)new_bytes;
    return false;
}

static void release(struct doubt_queue *queue)
{
    for (unsigned i = 0; i < DOUBT_SLOTS; i++)
        free(queue->slots[i].list);
}

TEST(doubt_grows_with_the_words_of_a_block)
{
    CHECK_EQ(doubt_of(8, false), 0);
    CHECK_EQ(doubt_of(24, false), 2);
    CHECK_EQ(doubt_of(168, false), 5);
    CHECK_EQ(doubt_of(4104, false), 10);
    CHECK(doubt_of(SIZE_MAX, true) < DOUBT_SLOTS);
    CHECK(doubt_of(24, true) > doubt_of(4104, false));
}

TEST(doubt_takes_the_least_first_and_equals_in_turn)
{
    struct doubt_queue queue = {.grow = grow};
    uint32_t one;

    CHECK(doubt_put(&queue, 1, 9) && doubt_put(&queue, 2, 3) && doubt_put(&queue, 3, 9));
    CHECK(doubt_take(&queue, &one));
    CHECK_EQ(one, 2);
    CHECK(doubt_put(&queue, 4, 2)); /* 3 + 2: before the others */
    CHECK(doubt_take(&queue, &one));
    CHECK_EQ(one, 4);
    CHECK(doubt_take(&queue, &one));
    CHECK_EQ(one, 1);
    CHECK(doubt_take(&queue, &one));
    CHECK_EQ(one, 3);
    CHECK(!doubt_take(&queue, &one));
    release(&queue);
}

TEST(doubt_keeps_its_order_round_the_slots)
{
    struct doubt_queue queue = {.grow = grow};
    uint32_t one;

    for (uint32_t i = 1; i < 5000; i++) {
        CHECK(doubt_put(&queue, 2 * i, 1 + i % (DOUBT_SLOTS - 1)));
        CHECK(doubt_put(&queue, 2 * i + 1, 0));
        CHECK(doubt_take(&queue, &one));
        CHECK_EQ(one, 2 * i + 1); /* of no more doubt than what was there before it */
        CHECK(doubt_take(&queue, &one));
        CHECK_EQ(one, 2 * i);
    }
    CHECK(!doubt_take(&queue, &one));
    doubt_restart(&queue);
    CHECK_EQ(queue.now, 0);
    release(&queue);
}

TEST(doubt_without_memory_is_said)
{
    struct doubt_queue queue = {.grow = refuse};
    uint32_t one;

    CHECK(!doubt_put(&queue, 1, 1));
    CHECK(!doubt_take(&queue, &one));
}

/* What a search of a JAX program saw. Each array of a list leads by six blocks that its classes fill to its
 * numbers. An input of the compiled step leads there as well, by fewer blocks: stale words in pages of the
 * compiler's allocator. */
enum { ROOT, INPUT, PAGE, TABLE, ARRAY, BUFFER, SHARED, RAW, STATE, ALIGNED, NUMBERS, THINGS };

static const struct {
    uint32_t bytes;
    uint32_t to[4]; /* ROOT: none */
} things[THINGS] = {
    [INPUT] = {168, {PAGE}},    [PAGE] = {4104, {TABLE, ARRAY}}, [TABLE] = {131976, {ALIGNED, NUMBERS}},
    [ARRAY] = {168, {BUFFER}},  [BUFFER] = {136, {SHARED}},      [SHARED] = {136, {RAW}},
    [RAW] = {56, {STATE}},      [STATE] = {168, {ALIGNED}},      [ALIGNED] = {24, {NUMBERS}},
    [NUMBERS] = {40040, {ROOT}}};

static void reach(struct doubt_queue *queue, uint32_t from[THINGS], uint32_t one, uint32_t by)
{
    if (one == ROOT || from[one] != THINGS)
        return;
    from[one] = by;
    CHECK(doubt_put(queue, one, doubt_of(things[one].bytes, false)));
}

TEST(doubt_prefers_a_long_path_of_small_blocks_to_a_short_one_of_pages)
{
    struct doubt_queue queue = {.grow = grow};
    uint32_t from[THINGS], one;

    for (unsigned i = 0; i < THINGS; i++)
        from[i] = THINGS;
    reach(&queue, from, INPUT, ROOT); /* the input comes first */
    reach(&queue, from, ARRAY, ROOT);
    while (doubt_take(&queue, &one))
        for (unsigned i = 0; i < 4; i++)
            reach(&queue, from, things[one].to[i], one);
    CHECK_EQ(from[NUMBERS], ALIGNED);
    CHECK_EQ(from[ALIGNED], STATE);
    CHECK_EQ(from[ARRAY], ROOT);
    CHECK_EQ(from[TABLE], PAGE);
    release(&queue);
}
