/* test_costs.c - what measuring cost, from ledgers made by hand. */
#include "test.h"

#include "base/arena.h"
#include "doctor/run/costs.h"
#include "ledger/model.h"

#define MS 1000000ull

static struct model with_costs(void)
{
    struct model model = {.costs_known = true};

    model.costs[COST_last_round] =
        (struct cost_record){.count = 1, .pause_ns = 200 * MS, .longest_ns = 200 * MS};
    model.costs[COST_collect] = (struct cost_record){
        .count = 2, .program_ns = 30 * MS, .pause_ns = 40 * MS, .longest_ns = 25 * MS, .bytes = 208};
    model.costs[COST_holders] = (struct cost_record){
        .count = 1, .refused = 3, .program_ns = 5 * MS, .copy_ns = 90 * MS, .pause_ns = 6 * MS,
        .longest_ns = 6 * MS, .bytes = 1000};
    return model;
}

static int thousandths(double seconds)
{
    return (int)(seconds * 1000 + 0.5);
}

TEST(costs_of_a_process_are_its_kinds_and_their_sums)
{
    const struct model model = with_costs();
    struct arena *arena = arena_new();
    const struct cost_summary *cost = costs_of(&model, arena);

    CHECK_EQ(cost->kinds[COST_holders].count, 1);
    CHECK_EQ(cost->kinds[COST_holders].refused, 3);
    CHECK_EQ(thousandths(cost->kinds[COST_holders].copy_seconds), 90);
    CHECK_EQ(thousandths(cost->program_seconds), 35);
    CHECK_EQ(thousandths(cost->copy_seconds), 90);
    CHECK_EQ(thousandths(cost->pause_seconds), 46);
    CHECK_EQ(thousandths(cost->longest_seconds), 25); /* not the wait before the end */
    CHECK_EQ(thousandths(cost->wait_seconds), 200);
    CHECK_EQ(cost->bytes, 1208);
    arena_free(arena);
}

TEST(costs_of_an_older_ledger_are_not_known)
{
    struct model model = with_costs();
    struct arena *arena = arena_new();

    model.costs_known = false;
    CHECK(costs_of(&model, arena) == NULL);
    arena_free(arena);
}

TEST(costs_of_a_run_are_those_of_the_processes_that_are_known)
{
    struct model model = with_costs(), own = {.effort = {.program_ns = 42000 * MS, .tare_ns = 500 * MS,
                                                        .look_ns = 300 * MS, .looks = 12}};
    struct process_report reports[3] = {{.pid = 1}, {.pid = 2}, {.pid = 3}};
    struct diagnosis diagnosis = {.arena = arena_new(), .processes = reports, .process_count = 3};

    costs_sum(&diagnosis, NULL);
    CHECK(diagnosis.cost == NULL);
    CHECK(diagnosis.effort.looks == 0);
    reports[0].cost = costs_of(&model, diagnosis.arena);
    model.costs[COST_collect].longest_ns = 31 * MS;
    reports[2].cost = costs_of(&model, diagnosis.arena);
    costs_sum(&diagnosis, &own);
    CHECK_EQ(diagnosis.cost->kinds[COST_collect].count, 4);
    CHECK_EQ(thousandths(diagnosis.cost->program_seconds), 70);
    CHECK_EQ(thousandths(diagnosis.cost->longest_seconds), 31);
    CHECK_EQ(thousandths(diagnosis.cost->wait_seconds), 400);
    CHECK_EQ(thousandths(diagnosis.effort.program_seconds), 42000);
    CHECK_EQ(thousandths(diagnosis.effort.look_seconds), 300);
    CHECK_EQ(diagnosis.effort.looks, 12);
    arena_free(diagnosis.arena);
}

/* The JSON names each kind, and the report counts each. */
TEST(every_kind_of_cost_has_a_name_and_words)
{
    for (unsigned kind = 0; kind < COST_KINDS; kind++) {
        CHECK(cost_name((enum cost_kind)kind) != NULL);
        CHECK(cost_words((enum cost_kind)kind, 1) != NULL && cost_words((enum cost_kind)kind, 2) != NULL);
    }
    CHECK_TEXT(cost_words(COST_trim, 1), "trim of the heap");
    CHECK_TEXT(cost_words(COST_trim, 0), "trims of the heap");
}
