/* The facts of a finding whose blocks survive: what a collection left, cycles, and the resident size. */
#include "doctor/detect/growth.h"
#include "doctor/detect/resident.h"
#include "fake.h"
#include "test.h"

TEST(what_a_collection_left_of_a_finding_is_counted)
{
    const struct collected collected = {.asked = true, .alive = 40, .released = 2, .late = true};
    struct fake *fake = fake_leak(60);
    struct visit *visit = fake_visit(fake);
    const struct finding heap = {.site = 1}, none = {.site = 0};
    struct fact fact = growth_collected(&heap, visit, &collected);

    CHECK_EQ(fact.id, FACT_collected);
    CHECK(fact.n[0] == 40 && fact.n[1] == 2 && fact.n[3]);
    CHECK(!fact.n[2]);
    CHECK_EQ(growth_collected(&none, visit, &collected).n[2], 0);
    fake->site.kind = SITE_TENSOR;
    CHECK_EQ(growth_collected(&heap, visit, &collected).n[2], 1);
    visit_free(visit);
}

/* A node refers to its children, and each of them to its parent. `closed`: the search came round to the
 * start. */
static struct finding in_cycle(bool closed)
{
    static struct holder_record record;
    static struct model_owner owners[3];
    struct fake *fake = fake_leak(60);
    struct finding found = {.site = 1, .kind = KIND_gc_lag};
    struct visit *visit;

    record = (struct holder_record){
        .site = 1, .ordinal = 40, .state = HOLDER_DONE, .targets = 20, .reached = 20};
    owners[0] =
        (struct model_owner){.holder = 1, .kind = OWNER_CYCLE, .name = "", .type = "Node", .file = ""};
    owners[1] = (struct model_owner){
        .holder = 1, .kind = OWNER_ATTRIBUTE, .name = "children", .type = "list", .file = ""};
    owners[2] = (struct model_owner){
        .holder = 1, .kind = OWNER_ATTRIBUTE, .name = "parent", .type = "Node", .file = ""};
    if (!closed)
        owners[0].kind = OWNER_MODULE;
    fake->model.holders = &record;
    fake->model.owners = owners;
    fake->model.holder_count = 1;
    fake->model.owner_count = 3;
    visit = fake_visit(fake);
    growth_cycle(&found, visit);
    visit_free(visit);
    return found;
}

TEST(garbage_in_a_reference_cycle_shows_the_cycle)
{
    const struct finding found = in_cycle(true);

    CHECK(fake_fact(&found, FACT_cycle) != NULL);
    CHECK_CONTAINS(fake_fact(&found, FACT_cycle)->text, "children");
    CHECK(found.holder_count >= 2);
    CHECK_EQ(found.holder_growing, SIZE_MAX);
    CHECK(!fake_fact(&(struct finding){.id = 1}, FACT_cycle));
}

TEST(a_path_from_a_root_is_not_a_cycle)
{
    const struct finding found = in_cycle(false);

    CHECK_EQ(found.fact_count, 0);
    CHECK_EQ(found.holder_count, 0);
}

static struct fact risen(uint64_t per_step)
{
    struct fake *fake = fake_leak(100);
    struct visit *visit;
    struct fact fact;

    for (unsigned i = 0; i < 100; i++)
        fake->steps[i].resident = (100ull << 20) + i * per_step;
    visit = fake_visit(fake);
    fact = resident_fact(visit);
    visit_free(visit);
    return fact;
}

TEST(a_resident_size_that_rises_is_a_fact_of_what_grows)
{
    CHECK_EQ(risen(4096).id, FACT_resident_rose);
    CHECK(risen(4096).rate > 4000 && risen(4096).rate < 4200);
    CHECK_EQ(risen(0).id, FACT_none);
    CHECK_EQ(risen(10).id, FACT_none); /* so little is not worth a sentence */
}
