/* Functions that a framework compiles again and again. */
#include "doctor/detect/traces.h"
#include "fake.h"
#include "test.h"

/* A function called at line 12 and compiled `count` times until step `last` of 100, `live` of which are
 * there. */
static struct model_trace compiled(uint64_t count, uint64_t last, uint64_t live)
{
    struct model_trace trace = {.function = "step", .file = "/app/a.py", .call_file = "/app/a.py",
                                .argument = "", .call_line = 12, .count = count, .live = live,
                                .first = 1, .last = last, .recent_count = LEDGER_RECENT};

    for (size_t i = 0; i < LEDGER_RECENT; i++)
        trace.recent[i] = last - (LEDGER_RECENT - 1 - i);
    return trace;
}

TEST(blocks_on_the_way_to_a_function_that_is_compiled_to_the_end_are_its_versions)
{
    const struct place way[] = {{.file = "/app/lib.py", .line = 3}, {.file = "/app/a.py", .line = 12}};
    const struct place elsewhere[] = {{.file = "/app/a.py", .line = 13}};
    struct model_trace trace = compiled(100, 100, 80);
    struct fake *fake = fake_leak(100);
    struct visit *visit;

    fake->model.traces = &trace;
    fake->model.trace_count = 1;
    visit = fake_visit(fake);
    CHECK(traces_of(visit, way, 2) == &trace && traces_compile(visit, way, 2));
    CHECK(traces_kept(&trace));
    CHECK(!traces_compile(visit, elsewhere, 1));
    trace = compiled(100, 40, 80); /* it was compiled in the first part of the run alone */
    CHECK(!traces_compile(visit, way, 2));
    trace = compiled(2, 100, 2);
    CHECK(!traces_compile(visit, way, 2));
    visit_free(visit);
}

TEST(of_two_functions_on_the_way_the_one_whose_versions_stay_is_named)
{
    const struct place way[] = {{.file = "/app/a.py", .line = 12}};
    struct model_trace traces[] = {compiled(200, 100, 10), compiled(100, 100, 80), compiled(150, 100, 150)};
    struct fake *fake = fake_leak(100);
    struct visit *visit;

    fake->model.traces = traces;
    fake->model.trace_count = 2;
    visit = fake_visit(fake);
    CHECK(!traces_kept(&traces[0]));
    CHECK(traces_of(visit, way, 1) == &traces[1]);
    fake->model.trace_count = 3;
    CHECK(traces_of(visit, way, 1) == &traces[2]); /* of those that stay, the one compiled most */
    visit_free(visit);
}
