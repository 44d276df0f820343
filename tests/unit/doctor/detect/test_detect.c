/* Which detectors look at a process: the conditions that stand in the table, and not in the rules. */
#include "doctor/detect/detect.h"
#include "doctor/runtime/runtimes.h"
#include "fake.h"
#include "test.h"

TEST(detectors_of_javascript_and_devices_leave_a_native_program_alone)
{
    struct visit *visit = fake_visit(fake_leak(100));

    CHECK(!detect_js_heap_applies(visit));
    CHECK(!detect_js_heap_undecided_applies(visit));
    CHECK(!detect_device_pool_applies(visit));
    CHECK(detect_container_applies(visit) && detect_resident_applies(visit));
    visit_free(visit);
}

TEST(a_heap_that_was_decided_about_is_not_undecided_too)
{
    struct visit *visit = fake_visit(fake_leak(100));

    visit->runtime = &runtime_js;
    CHECK(detect_js_heap_undecided_applies(visit));
    visit_add(visit)->heap = true;
    CHECK(!detect_js_heap_undecided_applies(visit));
    visit_free(visit);
}

TEST(a_program_without_ticks_has_only_its_account_to_close)
{
    struct visit *visit = fake_visit(fake_leak(0));

    CHECK(!detect_cohort_applies(visit) && !detect_queue_applies(visit));
    CHECK(!detect_container_applies(visit) && !detect_resident_applies(visit));
    CHECK(!detect_arenas_applies(visit) && !detect_gc_lag_applies(visit));
    CHECK(!detect_undecided_applies(visit));
    CHECK(detect_closure_applies(visit));
    visit_free(visit);
}

TEST(nothing_is_undecided_beside_a_finding_and_no_account_is_open_beside_a_leak)
{
    struct visit *visit = fake_visit(fake_leak(100));
    struct finding *leak;

    CHECK(detect_undecided_applies(visit) && detect_closure_applies(visit));
    leak = visit_add(visit);
    leak->kind = KIND_retained;
    CHECK(!detect_undecided_applies(visit) && !detect_closure_applies(visit));
    demote(leak, DEMOTED_floor);
    CHECK(leak->note && detect_closure_applies(visit));
    demote(leak, DEMOTED_none);
    CHECK(!leak->note && !detect_closure_applies(visit));
    visit_free(visit);
}

TEST(facts_are_taken_back_by_kind_and_never_overflow)
{
    struct finding finding = {.id = 0};

    for (unsigned i = 0; i < 2 * FACTS_MAX; i++)
        fact_add(&finding, i % 2 ? FACT_OF(lost, i) : FACT_OF(not_searched, i));
    CHECK_EQ(finding.fact_count, FACTS_MAX);
    fact_add(&finding, FACT_OF(none, 0));
    fact_drop(&finding, FACT_not_searched);
    CHECK_EQ(finding.fact_count, FACTS_MAX / 2);
    CHECK_EQ(finding.facts[1].id, FACT_lost);
    CHECK_EQ(finding.facts[1].n[0], 3);
}
