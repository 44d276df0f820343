/* What the searches for holders prove, on ledgers made by hand: who is named, and what is called lost. */
#include <string.h>

#include "fake.h"
#include "ledger/unsearched.h"
#include "test.h"

/* A leak whose blocks were searched for once, with this result. */
static struct process_report searched(uint32_t state, uint32_t reason, uint32_t targets, uint32_t reached)
{
    static struct holder_record holder;
    struct fake *fake = fake_leak(60);

    holder = (struct holder_record){.site = 1,
                                    .ordinal = 50,
                                    .state = state,
                                    .reason = reason,
                                    .targets = targets,
                                    .reached = reached};
    fake->model.holders = &holder;
    fake->model.holder_count = 1;
    return judged(fake, NULL);
}

TEST(blocks_that_a_search_does_not_find_are_lost)
{
    CHECK_EQ(searched(HOLDER_DONE, 0, 20, 0).verdict, KIND_native);
}

TEST(one_or_two_blocks_prove_no_loss)
{
    CHECK_EQ(searched(HOLDER_DONE, 0, 2, 0).verdict, KIND_retained);
}

TEST(a_search_that_did_not_prove_itself_is_no_evidence)
{
    const struct process_report report = searched(HOLDER_FAILED, UNSEARCHED_unproven, 20, 0);

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(!report.findings[0].held_by);
    CHECK_TEXT(report.findings[0].unsearched,
               "the search did not find blocks that are certainly in use");
}

/* Two searches: in the first a list in a function's variable holds all, in the second, when the function has
 * returned, an object of this type holds those that are left. */
static struct process_report searched_twice(unsigned left, const char *type)
{
    static struct holder_record holders[2];
    static struct model_owner owners[4];
    struct fake *fake = fake_leak(60);
    const uint32_t all = (uint32_t)fake->model.block_count;

    holders[0] = (struct holder_record){
        .site = 1, .ordinal = 40, .state = HOLDER_DONE, .targets = 30, .reached = 30};
    holders[1] = (struct holder_record){
        .site = 1, .ordinal = 61, .state = HOLDER_DONE, .targets = left, .reached = left};
    owners[0] = (struct model_owner){
        .holder = 1, .kind = OWNER_FRAME, .name = "main", .type = "", .file = "/a.py", .line = 3};
    owners[1] = (struct model_owner){
        .holder = 1, .kind = OWNER_LOCAL, .name = "all", .type = "list", .file = "", .length = 40};
    owners[2] = (struct model_owner){
        .holder = 2, .kind = OWNER_MODULE, .name = "__main__", .type = "module", .file = "/a.py"};
    owners[3] = (struct model_owner){
        .holder = 2, .position = 1, .kind = OWNER_ATTRIBUTE, .name = "recent", .type = type, .file = ""};
    owners[3].length = left;
    for (uint32_t i = 0; i < all - left; i++)
        fake_death(fake, fake->blocks[i].birth, 61);
    memmove(fake->blocks, fake->blocks + (all - left), left * sizeof(fake->blocks[0]));
    fake->model.block_count = left;
    fake->model.holders = holders;
    fake->model.holder_count = 2;
    fake->model.owners = owners;
    fake->model.owner_count = 4;
    return judged(fake, NULL);
}

TEST(what_is_left_at_the_end_does_not_name_the_holder)
{
    const struct process_report report = searched_twice(20, "dict");

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_TEXT(report.findings[0].held_by, "local 'all' of main() (a.py:3)");
}

TEST(a_search_at_the_end_counts_where_nothing_has_gone)
{
    CHECK_TEXT(searched_twice(60, "dict").findings[0].held_by, "__main__.recent");
}

/* A table of weak references has the addresses of all blocks as numbers. */
TEST(a_number_that_is_the_address_of_a_block_holds_nothing)
{
    CHECK_TEXT(searched_twice(60, "int").findings[0].held_by, "local 'all' of main() (a.py:3)");
}
