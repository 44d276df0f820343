/* Which frames of a deep Python stack stay. */
#include "probe/record/stack_fold.h"
#include "test.h"

#define DEPTH 100u

static bool library[DEPTH];
static uint16_t stay[DEPTH];

static void all_of_library(void)
{
    for (unsigned i = 0; i < DEPTH; i++)
        library[i] = true;
}

TEST(a_shallow_stack_stays_as_it_is)
{
    all_of_library();
    CHECK_EQ(stack_fold_choose(library, FOLD_DEEP, stay), FOLD_DEEP);
    CHECK_EQ(stay[FOLD_DEEP - 1], FOLD_DEEP - 1);
}

TEST(a_deep_one_keeps_its_innermost_and_the_programs_own)
{
    static const uint16_t expected[] = {0, 1, 49, 50, 97, 98, 99};
    const unsigned count = sizeof(expected) / sizeof(expected[0]);

    all_of_library();
    library[50] = library[98] = library[99] = false;
    CHECK_EQ(stack_fold_choose(library, DEPTH, stay), count);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQ(stay[i], expected[i]);
}

TEST(a_deep_one_of_the_program_alone_stays)
{
    all_of_library();
    for (unsigned i = 0; i < DEPTH; i++)
        library[i] = false;
    CHECK_EQ(stack_fold_choose(library, DEPTH, stay), DEPTH);
}
