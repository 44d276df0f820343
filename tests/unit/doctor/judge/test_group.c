/* One cause, one finding: which findings are joined, and what the joined one says. */
#include <string.h>

#include "base/arena.h"
#include "doctor/judge/group.h"
#include "ledger/model.h"
#include "test.h"

static struct visit *empty(void)
{
    static struct model model; /* each test has a process of its own */
    struct visit *visit = visit_new(&model, NULL, NULL, arena_new());

    CHECK(visit != NULL);
    return visit;
}

/* A leak at this line of a.py. */
static struct finding *leak(struct visit *visit, struct place *place, unsigned line, double rate)
{
    struct finding *finding = visit_add(visit);

    *place = (struct place){.file = "/srv/a.py", .line = line, .function = "f", .user = true};
    finding->kind = KIND_retained;
    finding->confidence = 0.9;
    finding->rate = (struct interval){rate, rate / 2, rate * 2};
    finding->counted = (struct slope){rate, rate, rate};
    finding->live_bytes = (uint64_t)rate * 100;
    finding->live_blocks = 100;
    finding->since = line;
    finding->allocated_at = place;
    finding->allocated_count = 1;
    return finding;
}

TEST(lines_with_one_store_line_are_one_finding_with_the_sum_of_the_rates)
{
    static struct place made[3];
    static const struct place stored = {.file = "/srv/a.py", .line = 9};
    static const struct place other = {.file = "/srv/a.py", .line = 10};
    struct visit *visit = empty();
    const struct finding *one = &visit->findings[0];

    leak(visit, &made[0], 4, 100)->stored_at = &stored;
    leak(visit, &made[1], 5, 300)->stored_at = &stored;
    leak(visit, &made[2], 6, 50)->stored_at = &other;
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 2);
    CHECK(one->rate.estimate == 400 && one->rate.low == 200 && one->rate.high == 800);
    CHECK(one->counted.estimate == 400);
    CHECK_EQ(one->live_bytes, 40000);
    CHECK_EQ(one->live_blocks, 200);
    CHECK_EQ(one->since, 4);
    CHECK_EQ(one->allocated_at->line, 5); /* the larger */
    CHECK_EQ(one->made_count, 2);
    CHECK_EQ(one->made_at[0].places->line, 5);
    CHECK(one->made_at[0].rate == 300 && one->made_at[1].rate == 100);
    CHECK_EQ(visit->findings[1].stored_at->line, 10);
    CHECK_EQ(visit->findings[1].made_count, 1);
    visit_free(visit);
}

TEST(a_finding_without_a_store_line_is_joined_by_its_container)
{
    static struct place made[3];
    static const struct place stored = {.file = "/srv/a.py", .line = 9};
    struct holder_step path[] = {
        {.kind = OWNER_MODULE, .name = "__main__", .type = "module", .file = "/srv/a.py", .number = 1},
        {.kind = OWNER_ATTRIBUTE, .name = "seen", .type = "list", .file = "", .length = 90},
        {.kind = OWNER_INDEX, .name = "", .type = "dict", .file = "", .number = 4}};
    struct holder_step elsewhere[] = {path[0], path[1], path[2]};
    struct visit *visit = empty();
    struct finding *finding;

    path[0].number = 7; /* blocks that libraries hold: not part of the path */
    finding = leak(visit, &made[0], 4, 100);
    finding->holder_path = path;
    finding->holder_count = 3;
    finding->holder_growing = 1;
    finding = leak(visit, &made[1], 5, 300);
    *finding = (struct finding){.kind = KIND_retained, .rate = {300, 300, 300}, .stored_at = &stored,
                                .holder_path = elsewhere, .holder_count = 3, .holder_growing = 1,
                                .allocated_at = &made[1], .allocated_count = 1};
    finding = leak(visit, &made[2], 6, 10);
    finding->holder_growing = SIZE_MAX;
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 2);
    CHECK(visit->findings[0].rate.estimate == 400);
    CHECK(visit->findings[0].stored_at == &stored); /* it says more */
    CHECK_EQ(visit->findings[0].made_at[1].places->line, 4);
    visit_free(visit);
}

TEST(another_element_of_one_list_is_another_container)
{
    static struct place made[2];
    const struct holder_step first[] = {
        {.kind = OWNER_MODULE, .name = "__main__", .type = "", .file = ""},
        {.kind = OWNER_INDEX, .name = "", .type = "list", .file = "", .number = 0}};
    const struct holder_step second[] = {
        {.kind = OWNER_MODULE, .name = "__main__", .type = "", .file = ""},
        {.kind = OWNER_INDEX, .name = "", .type = "list", .file = "", .number = 1}};
    struct visit *visit = empty();
    struct finding *finding = leak(visit, &made[0], 4, 100);

    finding->holder_path = first;
    finding->holder_count = 2;
    finding->holder_growing = 1;
    finding = leak(visit, &made[1], 5, 100);
    finding->holder_path = second;
    finding->holder_count = 2;
    finding->holder_growing = 1;
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 2);
    visit_free(visit);
}

TEST(findings_of_one_registry_are_one)
{
    static const char registry[] = "the gradient registry", other[] = "the kernel cache";
    static struct place made[3];
    struct visit *visit = empty();

    for (unsigned i = 0; i < 3; i++) {
        struct finding *finding = leak(visit, &made[i], i + 1, 10);

        finding->kind = KIND_unbounded_cache;
        finding->holder = (struct fact){.id = FACT_by_store, .text = i < 2 ? registry : other};
    }
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 2);
    CHECK_EQ(visit->findings[0].made_count, 2);
    visit_free(visit);
}

TEST(what_one_call_compiles_is_one_finding_at_the_call)
{
    static const struct model_trace trace = {.function = "step", .file = "/srv/m.py", .argument = "",
                                             .call_file = "/srv/a.py", .call_line = 20};
    static const struct place stacks[][2] = {
        {{.file = "/srv/m.py", .line = 3}, {.file = "/srv/a.py", .line = 20}},
        {{.file = "/srv/m.py", .line = 4}, {.file = "/srv/a.py", .line = 20}}};
    static struct place ignored;
    struct visit *visit = empty();

    for (unsigned i = 0; i < 2; i++) {
        struct finding *finding = leak(visit, &ignored, 1, 10);

        finding->kind = KIND_unbounded_cache;
        finding->allocated_at = stacks[i];
        finding->allocated_count = 2;
        finding->compiles = &trace;
    }
    demote(&visit->findings[0], DEMOTED_compilations);
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 1);
    CHECK_EQ(visit->findings[0].headline.id, FACT_grows_compiling);
    CHECK_EQ(visit->findings[0].allocated_at->line, 20);
    CHECK_EQ(visit->findings[0].made_count, 2);
    CHECK(!visit->findings[0].note); /* one of them was none */
    visit_free(visit);
}

TEST(what_is_no_leak_is_not_joined_with_one)
{
    static struct place made[3];
    static const struct place stored = {.file = "/srv/a.py", .line = 9};
    struct visit *visit = empty();

    for (unsigned i = 0; i < 3; i++)
        leak(visit, &made[i], i + 1, 10)->stored_at = &stored;
    visit->findings[1].kind = KIND_plateau;
    demote(&visit->findings[2], DEMOTED_framework_records);
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 3);
    visit_free(visit);
}

TEST(one_line_in_two_stacks_is_one_line)
{
    static struct place made[2];
    static const struct place stored = {.file = "/srv/a.py", .line = 9};
    struct visit *visit = empty();

    leak(visit, &made[0], 4, 100)->stored_at = &stored;
    leak(visit, &made[1], 4, 50)->stored_at = &stored;
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 1);
    CHECK_EQ(visit->findings[0].made_count, 1);
    CHECK(visit->findings[0].made_at[0].rate == 150);
    visit_free(visit);
}

TEST(records_of_the_host_are_part_of_the_leak_on_the_device)
{
    static struct place made[3];
    static const struct place stored = {.file = "/srv/a.py", .line = 9};
    struct visit *visit = empty();
    const struct finding *one = &visit->findings[0];
    struct finding *device;

    leak(visit, &made[0], 4, 100)->stored_at = &stored;
    leak(visit, &made[1], 5, 50);
    device = leak(visit, &made[2], 4, 5000);
    device->memory = MEMORY_DEVICE;
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 2);
    CHECK_EQ(one->memory, MEMORY_DEVICE);
    CHECK(one->rate.estimate == 5000 && one->host_rate.estimate == 100);
    CHECK_EQ(one->live_bytes, 500000);
    CHECK_EQ(one->stored_at->line, 9); /* only the records tell */
    CHECK_EQ(one->made_count, 1);
    CHECK(one->made_at[0].rate == 5000);
    CHECK_EQ(visit->findings[1].memory, MEMORY_HOST);
    visit_free(visit);
}

TEST(a_holder_in_native_memory_is_learnt_from_the_records_of_the_host)
{
    static struct place made[2];
    struct visit *visit = empty();
    struct finding *device;

    leak(visit, &made[0], 4, 100)->held_by = "history (tensors.c:16)";
    device = leak(visit, &made[1], 4, 5000);
    device->memory = MEMORY_DEVICE;
    device->unsearched_why = 1;
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 1);
    CHECK(visit->findings[0].held_by && strcmp(visit->findings[0].held_by, "history (tensors.c:16)") == 0);
    CHECK_EQ(visit->findings[0].unsearched_why, 0);
    visit_free(visit);
}

TEST(leaks_on_two_devices_are_two)
{
    static struct place made[2];
    struct visit *visit = empty();

    leak(visit, &made[0], 4, 100)->memory = MEMORY_DEVICE;
    leak(visit, &made[1], 4, 100)->memory = MEMORY_DEVICE;
    visit->findings[1].device = 1;
    group_findings(visit);
    CHECK_EQ(visit->finding_count, 2);
    visit_free(visit);
}
