/* What findings explain, compared with exact counters: what waits for the collector, and what a line adds. */
#include "base/arena.h"
#include "doctor/detect/reconcile.h"
#include "fake.h"
#include "test.h"

/* Two sites make a block each in each of 80 steps. Of the second, all that was made until step 40 went in a
 * collection then; what came later is there. */
static struct visit *two_sites(struct fake **out)
{
    static struct model_site sites[2];
    static struct intervention_record collection;
    struct fake *fake = fake_new();

    for (uint64_t i = 1; i <= 80; i++) {
        fake_block(fake, i);
        if (i <= 40)
            fake_death(fake, i, 41);
        else
            fake_block(fake, i);
        fake_step(fake, (uint32_t)fake->model.block_count);
    }
    sites[0] = fake->site;
    sites[1] = fake->site;
    sites[0].stack = 1;
    sites[1].stack = 2;
    for (size_t i = 1; i < fake->model.block_count; i++)
        if (fake->blocks[i].birth == fake->blocks[i - 1].birth)
            fake->blocks[i].site = 2;
    for (size_t i = 0; i < fake->model.death_count; i++)
        fake->deaths[i].site = 2;
    collection = (struct intervention_record){
        .kind = INTERVENTION_COLLECT, .ordinal = 41, .live_before = 80 * SIZE, .live_after = 40 * SIZE};
    fake->model.sites = sites;
    fake->model.site_count = 2;
    fake->model.interventions = &collection;
    fake->model.intervention_count = 1;
    *out = fake;
    return fake_visit(fake);
}

TEST(garbage_of_one_site_is_a_share_of_what_all_sites_keep)
{
    struct cohort cohort = {.column = ledger_class(SIZE), .pooled = true, .first = 41, .last = 80};
    struct fake *fake;
    struct visit *visit = two_sites(&fake);
    double share = reconcile_waiting(visit, &cohort);

    CHECK(share > 0 && share < 1);
    CHECK(share > 0.45 && share < 0.55); /* half of the survivors of these steps are of the second site */
    cohort.pooled = false;               /* a site that was judged alone was judged by its own collection */
    CHECK(reconcile_waiting(visit, &cohort) == 0);
    visit_free(visit);
}

/* Line 12 makes a block in each of 80 steps, and another of a second size, of which `reported` bytes per step
 * were found. Returns what the finding says after the line was reconciled; `unreported` is what exact
 * counters show beside it. */
static double reconciled(double reported, double unreported, double *left)
{
    const unsigned lines[] = {12};
    struct fake *fake = fake_leak(80);
    struct places *places = fake_places(fake, lines, 1);
    struct visit *visit = fake_visit(fake);
    struct reconcile whole = {.growth = reported + unreported, .unreported = unreported};
    struct finding found = {.site = 1, .kind = KIND_retained, .rate = {reported, reported, reported}};
    const struct place line = {.file = "/app/a.py", .line = 12};

    visit->places = places;
    reconcile_line(&whole, &found, visit, &line, 1);
    *left = whole.unreported;
    visit_free(visit);
    return found.rate.estimate;
}

TEST(a_convicted_line_is_charged_with_all_that_it_keeps)
{
    double left;

    CHECK(reconciled(0.75 * SIZE, 0.5 * SIZE, &left) == SIZE); /* all its blocks, and not more */
    CHECK(left == 0.25 * SIZE);
    CHECK(reconciled(0.75 * SIZE, 0.1 * SIZE, &left) == 0.85 * SIZE); /* not more than really grew */
    CHECK(left == 0);
    CHECK(reconciled(0.25 * SIZE, SIZE, &left) == 0.5 * SIZE); /* not more than was convicted */
}

TEST(a_line_is_charged_with_nothing_where_everything_is_explained)
{
    double left;

    CHECK(reconciled(0.75 * SIZE, 0, &left) == 0.75 * SIZE);
}

/* Findings of `rate` bytes per step in a process that grows by `SIZE` in each. */
static struct interval settled(double rate, double unreported)
{
    struct fake *fake = fake_leak(80);
    struct visit *visit = fake_visit(fake);
    struct reconcile whole = {.growth = SIZE, .unreported = unreported};
    struct finding *found = visit_add(visit);
    struct interval settled;

    *found = (struct finding){.site = 1, .kind = KIND_retained, .rate = {rate, rate, rate}};
    reconcile_all(&whole, visit);
    settled = visit->findings[0].rate;
    visit_free(visit);
    return settled;
}

TEST(findings_that_explain_most_of_the_growth_get_the_rest)
{
    const struct interval rate = settled(0.8 * SIZE, 0.2 * SIZE);

    CHECK(rate.estimate > 0.99 * SIZE && rate.estimate < 1.01 * SIZE);
    CHECK(rate.low <= 0.8 * SIZE && rate.high >= rate.estimate);
    CHECK(settled(0.5 * SIZE, 0.5 * SIZE).estimate == 0.5 * SIZE); /* half of it is not most of it */
}

TEST(findings_that_sampling_made_too_large_are_cut_to_the_growth)
{
    CHECK(settled(1.5 * SIZE, 0).estimate < 1.01 * SIZE);
    CHECK(settled(1.2 * SIZE, 0).estimate == 1.2 * SIZE); /* within the error of sampling */
}
