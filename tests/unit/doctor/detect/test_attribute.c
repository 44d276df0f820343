/* Which line makes the blocks of a finding, whose allocator mapped them, and who holds them. */
#include "doctor/detect/attribute.h"
#include "doctor/detect/mapped.h"
#include "fake.h"
#include "test.h"

TEST(a_finding_is_located_at_the_line_of_its_site)
{
    const unsigned lines[] = {12};
    struct fake *fake = fake_leak(20);
    struct places *places = fake_places(fake, lines, 1);
    struct visit *visit = fake_visit(fake);
    struct finding found = {.id = 1};

    attribute_locate(&found, visit, 0);
    CHECK_EQ(found.site, 1);
    CHECK_EQ(found.allocated_count, 0); /* nobody can look up its stack */
    visit->places = places;
    attribute_locate(&found, visit, 0);
    CHECK_EQ(found.allocated_count, 1);
    CHECK_EQ(found.allocated_at[0].line, 12);
    CHECK_TEXT(found.allocated_at[0].file, "/app/a.py");
    attribute_locate(&found, visit, 7); /* there is no such site */
    CHECK_EQ(found.site, 0);
    visit_free(visit);
}

TEST(memory_that_a_library_mapped_for_its_own_allocator_names_that_pool)
{
    struct model_module module = {.path = "/x/pyarrow/libarrow.so.2600"};
    struct map_record map = {.start = 1 << 20, .length = 1 << 20, .site = 1, .kind = SITE_MAP, .unit = 1};
    struct fake *fake = fake_leak(20);
    struct finding found = {.id = 1}, heap = {.id = 2};
    struct visit *visit;

    fake->model.modules = &module;
    fake->model.maps = &map;
    fake->model.module_count = fake->model.map_count = 1;
    visit = fake_visit(fake);
    attribute_pool(&heap, visit, 0); /* the site makes heap blocks */
    CHECK_EQ(heap.fact_count, 0);
    fake->site.kind = SITE_MAP;
    attribute_pool(&found, visit, 0);
    CHECK(fake_fact(&found, FACT_mapped_by) != NULL);
    CHECK_TEXT(fake_fact(&found, FACT_mapped_by)->text, "pyarrow's memory pool");
    CHECK_TEXT(found.advice_code, "import pyarrow\npyarrow.default_memory_pool().release_unused()");
    visit_free(visit);
}

/* A search found `reached` of 20 blocks of the only site; a module's list has 40 elements. */
static struct finding held(uint32_t reached)
{
    static struct holder_record record;
    static struct model_owner owners[2];
    struct fake *fake = fake_leak(60);
    struct finding found = {.site = 1};
    struct visit *visit;

    record = (struct holder_record){
        .site = 1, .ordinal = 40, .state = HOLDER_DONE, .targets = 20, .reached = reached};
    owners[0] = (struct model_owner){
        .holder = 1, .kind = OWNER_MODULE, .name = "__main__", .type = "module", .file = "/a.py"};
    owners[1] = (struct model_owner){
        .holder = 1, .kind = OWNER_ATTRIBUTE, .name = "all", .type = "list", .file = "", .length = 40};
    fake->model.holders = &record;
    fake->model.owners = owners;
    fake->model.holder_count = 1;
    fake->model.owner_count = 2;
    visit = fake_visit(fake);
    attribute_hold(&found, visit, 0, 40);
    visit_free(visit);
    return found;
}

TEST(a_finding_names_who_holds_its_blocks)
{
    const struct finding found = held(20);

    CHECK_TEXT(found.held_by, "__main__.all");
    CHECK_EQ(found.holder_count, 2);
    CHECK_EQ(found.holder_growing, 1);
    CHECK(!held(2).held_by); /* a variable holds the youngest of them */
}
