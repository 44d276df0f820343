/* Judging the sites of one size class by the lives of their blocks. */
#include "base/arena.h"
#include "doctor/measure/classes.h"
#include "doctor/measure/clock.h"
#include "doctor/measure/cohort.h"
#include "fake.h"
#include "test.h"

#define RARE_WEIGHT 400000u

/* Beside the fake's own site, which keeps a block at each step: one of which few blocks are in the sample,
 * and each stands for many. */
static void add_rare_site(struct fake *fake, struct model_site sites[2], uint64_t every)
{
    sites[0] = fake->site;
    sites[1] = (struct model_site){
        .stack = 1, .class_index = fake->site.class_index, .kind = SITE_HEAP, .first = every, .births = 0};
    for (uint64_t birth = every; birth <= fake->model.step_count; birth += every) {
        fake->blocks[fake->model.block_count++] = (struct model_block){
            .address = 16 * birth + 8, .size = SIZE, .weight = RARE_WEIGHT, .birth = birth, .site = 2};
        sites[1].births++;
        sites[1].last = birth;
        sites[1].born_weight += RARE_WEIGHT;
        sites[1].live_weight += RARE_WEIGHT;
    }
    for (size_t i = 0; i < fake->model.step_count; i++)
        fake->steps[i].class_blocks[ledger_class(SIZE)] += (uint32_t)((i + 1) / every * RARE_WEIGHT / SIZE);
    fake->model.sites = sites;
    fake->model.site_count = 2;
    fake->model.head.watched = 0;
    fake->model.totals.watched_since[ledger_class(SIZE)] = 0;
}

TEST(sites_that_explain_little_are_reported_at_the_one_that_keeps_most)
{
    struct suspect suspects[CLASSES_SUSPECTS_MAX];
    struct cohort members[4];
    struct clock_choice clock;
    struct series series;
    struct lives lives;
    struct model_site sites[2];
    struct fake *fake = fake_leak(120);
    struct arena *arena = arena_new();
    size_t count;

    add_rare_site(fake, sites, 20); /* 6 blocks: too few to convict their own site */
    clock_choose(&clock, &fake->model, arena);
    series_build(&series, &fake->model, &clock, arena);
    CHECK(classes_suspect(suspects, &series) > 0);
    lives_collect(&lives, &fake->model, &series, suspects[0].column, arena);
    count = cohort_members(members, 4, &fake->model, &series, &suspects[0], &lives);
    CHECK_EQ(count, 1);
    CHECK(members[0].pooled);
    CHECK_EQ(members[0].site, 1);
    arena_free(arena);
}
