/* Which blocks of a device become samples. */
#include "probe/devices/choice_pure.h"
#include "test.h"

#define MICROSECOND 1000u

/* Of `blocks` blocks of this size, one each so many nanoseconds: how many are samples, and for how many
 * they stand. */
struct taken {
    uint64_t samples, stand_for;
};

static struct taken take(struct choice *choice, uint64_t bytes, uint64_t blocks, uint64_t apart)
{
    static uint64_t random = 88172645463325252u;
    struct taken out = {0, 0};

    for (uint64_t i = 0; i < blocks; i++) {
        const uint32_t here = choice_make(choice, &random, bytes, 1 + i * apart);

        out.samples += here > 0;
        out.stand_for += here;
    }
    return out;
}

TEST(a_size_of_which_few_come_is_sampled_block_by_block)
{
    static struct choice choice;
    const struct taken taken = take(&choice, 10240, 600, 10000 * MICROSECOND);

    CHECK_EQ(taken.samples, 600);
    CHECK_EQ(taken.stand_for, 600);
}

TEST(a_size_of_which_many_come_costs_little_and_stands_for_all)
{
    static struct choice choice;
    const uint64_t blocks = 1000000, windows = 10;
    const struct taken taken = take(&choice, 4096, blocks, windows * CHOICE_WINDOW / blocks);

    CHECK(taken.samples < 2 * CHOICE_MOST * windows + 12 * CHOICE_MOST);
    CHECK(taken.stand_for > blocks * 8 / 10 && taken.stand_for < blocks * 12 / 10);
}

TEST(a_rare_size_is_not_lost_among_many_blocks_of_others)
{
    static struct choice choice;
    uint64_t rare = 0, random = 1;

    for (uint64_t step = 0; step < 600; step++) {
        for (uint64_t i = 1; i <= 20; i++)
            (void)choice_make(&choice, &random, 4096 * i, step * MICROSECOND);
        rare += choice_make(&choice, &random, 10240, step * MICROSECOND) > 0;
    }
    CHECK(rare >= 100);
}
