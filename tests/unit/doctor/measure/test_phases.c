/* Phases of a run, on ledgers made by hand: which clock is chosen, and what is judged by it. */
#include "base/arena.h"
#include "doctor/measure/phases.h"
#include "doctor/facts/rules.h"
#include "doctor/measure/series.h"
#include "fake.h"
#include "test.h"

#define PHASES_MAX 128
#define WORK       1000000u /* nanoseconds of processor time of one step */

enum loop { LOAD = 1, WORK_LOOP, OTHER_LOOP };

static struct phase_record records[PHASES_MAX];
static uint32_t alive; /* blocks, in the fake process */

/* ---- a process with phases ---- */

static struct fake *begin(void)
{
    struct fake *fake = fake_new();

    fake->model.phases = records;
    return fake;
}

static void phase(struct fake *fake, enum phase_kind kind, uint32_t loop)
{
    records[fake->model.phase_count++] =
        (struct phase_record){.ordinal = fake->model.step_count + 1,
                              .turns = fake->model.totals.clock[CLOCK_loop],
                              .around = fake->model.totals.clock[CLOCK_outer],
                              .kind = kind,
                              .offset = loop};
}

/* One step of any clock, which keeps one block or none. */
static void tick(struct fake *fake, enum clock_id clock, bool keeps)
{
    struct step_record *step;

    if (keeps) {
        alive++;
        fake_block(fake, fake->model.step_count + 1);
    }
    fake_step(fake, alive);
    step = &fake->steps[fake->model.step_count - 1];
    fake->model.totals.clock[clock]++;
    memcpy(step->clock, fake->model.totals.clock, sizeof(step->clock));
}

/* So many turns of a loop, or steps of a clock, as a phase of their own. */
static void turn(struct fake *fake, uint32_t loop, unsigned turns, bool keeps)
{
    phase(fake, PHASE_LOOP, loop);
    for (unsigned i = 0; i < turns; i++)
        tick(fake, CLOCK_loop, keeps);
    records[fake->model.phase_count - 1].work = turns * WORK;
}

static void steps(struct fake *fake, enum clock_id clock, unsigned count, bool keeps)
{
    phase(fake, PHASE_STEPS, 0);
    for (unsigned i = 0; i < count; i++)
        tick(fake, clock, keeps);
    records[fake->model.phase_count - 1].work = count * WORK;
}

/* Work that no clock counts, so that time is cut into slices. */
static void slices(struct fake *fake, unsigned count, bool keeps)
{
    for (unsigned i = 0; i < count; i++)
        tick(fake, CLOCK_time, keeps);
    records[fake->model.phase_count - 1].after = count * WORK;
}

/* ---- one phase after another ---- */

TEST(a_flat_loop_after_a_load_is_clean)
{
    struct fake *fake = begin();
    struct process_report report;

    turn(fake, LOAD, 60, true);
    turn(fake, WORK_LOOP, 60, false);
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK(!report.early);
    CHECK_EQ(report.clock, CLOCK_loop);
    CHECK_EQ(report.clock_count, 60);
    CHECK_EQ(report.finding_count, 0);
}

/* The same numbers in an old ledger, which has no phases: all turns are one clock. */
TEST(without_phases_all_turns_are_one_clock)
{
    struct fake *fake = begin();

    turn(fake, LOAD, 60, true);
    turn(fake, WORK_LOOP, 60, false);
    fake->model.phase_count = 0;
    CHECK_EQ(judged(fake, NULL).clock_count, 120);
}

static void check_leak_in_second(bool load_keeps)
{
    struct fake *fake = begin();
    struct process_report report;

    turn(fake, LOAD, 100, load_keeps);
    turn(fake, WORK_LOOP, 60, true);
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.clock_count, 60);
    CHECK_EQ(report.findings[0].since, 1);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE);
    CHECK_CONTAINS(report.findings[0].summary, "in 60 turns");
}

TEST(a_leak_in_the_second_loop_counts_from_its_beginning)
{
    check_leak_in_second(false);
}

TEST(a_leak_after_a_load_counts_from_the_end_of_the_load)
{
    check_leak_in_second(true);
}

/* Until enough work has followed, a load cannot be told from a leak. */
TEST(a_loop_is_over_when_enough_work_has_followed)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct phases phases;

    turn(fake, LOAD, 100, true);
    phase(fake, PHASE_STEPS, 0);
    for (uint64_t after = 0; after <= 6 * WORK; after += WORK) {
        records[1].work = after;
        phases_read(&phases, &fake->model, arena);
        CHECK_EQ(phases.loop_count, 1);
        CHECK_EQ(phases.loops[0].work, 100 * WORK);
        CHECK_EQ(phases.loops[0].after, after);
        CHECK_EQ(phases.loops[0].over, after * RULE_PHASE_SHARE >= 100 * WORK);
    }
    arena_free(arena);
}

/* A loop of 2 ms: what is read 1 ms late may be work of its own. */
TEST(a_short_loop_is_not_over_by_the_grain_of_the_measurement)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct phases phases;

    turn(fake, LOAD, 200, true);
    records[0].work = 2 * WORK;
    records[0].after = RULE_PHASE_GRAIN - 1;
    phases_read(&phases, &fake->model, arena);
    CHECK(!phases.loops[0].over);
    records[0].after = RULE_PHASE_GRAIN;
    phases_read(&phases, &fake->model, arena);
    CHECK(phases.loops[0].over);
    arena_free(arena);
}

/* A few slow turns: the work of the next turn, which has not ended yet, is not other work. */
/* It waits at each turn, a second long: what tidying up takes of the processor is much beside its work. */
TEST(a_loop_that_waits_is_not_over_because_of_a_moment_of_work)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct phase_record *record = records;
    struct phases phases;

    turn(fake, WORK_LOOP, 60, true);
    record->time = SECOND;
    record->last = 60 * SECOND;
    record->after = 30 * WORK;
    fake->model.totals.time = 61 * SECOND;
    phases_read(&phases, &fake->model, arena);
    CHECK(!phases.loops[0].over);
    fake->model.totals.time = 64 * SECOND;
    phases_read(&phases, &fake->model, arena);
    CHECK(phases.loops[0].over);
    arena_free(arena);
}

TEST(a_loop_is_not_over_within_a_few_of_its_own_turns)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct phases phases;

    turn(fake, LOAD, 10, true);
    records[0].after = RULE_GAP * WORK - 1;
    phases_read(&phases, &fake->model, arena);
    CHECK(!phases.loops[0].over);
    records[0].after = RULE_GAP * WORK;
    phases_read(&phases, &fake->model, arena);
    CHECK(phases.loops[0].over);
    arena_free(arena);
}

TEST(turns_of_a_loop_that_comes_again_are_counted_without_those_between)
{
    struct fake *fake = begin();
    struct process_report report;

    for (unsigned i = 0; i < 5; i++) {
        turn(fake, WORK_LOOP, 10, false);
        turn(fake, OTHER_LOOP, 12, false);
    }
    turn(fake, WORK_LOOP, 10, false);
    report = judged(fake, NULL);
    CHECK_EQ(report.clock, CLOCK_loop);
    CHECK_EQ(report.clock_count, 60);
    CHECK_EQ(report.verdict, KIND_clean);
}

/* It has come again after as much other work, three times. */
TEST(a_loop_that_comes_again_is_not_over_while_others_turn)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct phases phases;

    for (unsigned i = 0; i < 4; i++) {
        turn(fake, WORK_LOOP, 20, false);
        turn(fake, OTHER_LOOP, 20, false);
    }
    phases_read(&phases, &fake->model, arena);
    CHECK(!phases.loops[0].over);
    turn(fake, LOAD, 21, false);
    phases_read(&phases, &fake->model, arena);
    CHECK(phases.loops[0].over);
    arena_free(arena);
}

TEST(a_leak_between_the_turns_of_a_loop_is_seen_by_its_clock)
{
    struct fake *fake = begin();
    struct process_report report;

    for (unsigned i = 0; i < 16; i++) {
        turn(fake, WORK_LOOP, 8, false);
        turn(fake, OTHER_LOOP, 10, true);
    }
    turn(fake, WORK_LOOP, 8, false);
    report = judged(fake, NULL);
    CHECK_EQ(report.clock_count, 17 * 8);
    CHECK_EQ(report.verdict, KIND_retained);
}

#define RETURNS 6

/* Two loops take turns, and live memory rises by so many kilobytes with each return. No block was sampled. */
static enum kind returns_leave(const unsigned kilobytes[RETURNS])
{
    struct fake *fake = begin();
    uint64_t live = 2000000;

    for (unsigned i = 0; i < RETURNS; i++) {
        const size_t first = fake->model.step_count;

        turn(fake, WORK_LOOP, 10, false);
        turn(fake, OTHER_LOOP, 12, false);
        live += kilobytes[i] * 1000;
        for (size_t at = first; at < fake->model.step_count; at++) {
            fake->steps[at].live_bytes = fake->steps[at].live_min = fake->steps[at].live_max = live;
            fake->steps[at].resident = 20000000;
            fake->steps[at].ticked = 1u << CLOCK_loop;
        }
    }
    return judged(fake, NULL).verdict;
}

TEST(as_much_left_by_each_return_of_a_phase_is_not_clean)
{
    CHECK_EQ(returns_leave((const unsigned[RETURNS]){0, 100, 110, 90, 100, 100}), KIND_undecided);
}

TEST(what_one_return_of_a_phase_left_is_its_result)
{
    CHECK_EQ(returns_leave((const unsigned[RETURNS]){0, 0, 10, 400, 10, 10}), KIND_clean);
}

TEST(a_phase_that_leaves_less_each_time_is_clean)
{
    CHECK_EQ(returns_leave((const unsigned[RETURNS]){0, 400, 200, 100, 20, 0}), KIND_clean);
}

/* ---- nothing long after the loop ---- */

TEST(growth_in_a_loop_that_is_over_gives_no_verdict)
{
    struct fake *fake = begin();
    struct process_report report;

    turn(fake, LOAD, 60, true);
    slices(fake, 10, false);
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK(report.early);
    CHECK_CONTAINS(report.answer, "Too early to say: the loop that grew has ended");
    CHECK_EQ(report.clock, CLOCK_loop);
    CHECK_EQ(report.clock_count, 60);
}

/* A load of few turns, a flat training, a short evaluation that no clock counts. */
TEST(of_loops_that_are_over_the_last_that_worked_is_judged)
{
    struct fake *fake = begin();
    struct process_report report;

    turn(fake, LOAD, 40, true);
    turn(fake, WORK_LOOP, 80, false);
    records[fake->model.phase_count - 1].after = 10 * WORK;
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK(!report.early);
    CHECK_EQ(report.clock_count, 80);
}

TEST(a_flat_loop_that_is_over_is_clean)
{
    struct fake *fake = begin();
    struct process_report report;

    turn(fake, LOAD, 60, false);
    slices(fake, 10, false);
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK(!report.early);
    CHECK_EQ(report.clock_count, 60);
}

/* More than RULE_BUILDING_MOST seconds: what followed is judged by itself. */
TEST(slices_count_from_the_end_of_the_loop)
{
    struct fake *fake = begin();
    struct process_report report;

    phase(fake, PHASE_START, 0);
    slices(fake, 20, true);
    turn(fake, LOAD, 60, true);
    slices(fake, 140, false);
    report = judged(fake, NULL);
    CHECK_EQ(report.clock, CLOCK_time);
    CHECK_EQ(report.clock_count, 140);
    CHECK_EQ(report.verdict, KIND_clean);
}

/* ---- a framework after the load ---- */

TEST(steps_of_a_framework_after_a_long_load_are_the_clock)
{
    struct fake *fake = begin();
    struct process_report report;

    turn(fake, LOAD, 300, true);
    steps(fake, CLOCK_optimizer, 40, false);
    report = judged(fake, NULL);
    CHECK_EQ(report.clock, CLOCK_optimizer);
    CHECK_EQ(report.clock_count, 40);
    CHECK_EQ(report.verdict, KIND_clean);
}

TEST(a_leak_in_the_steps_after_a_load_is_found)
{
    struct fake *fake = begin();
    struct process_report report;

    turn(fake, LOAD, 200, true);
    steps(fake, CLOCK_optimizer, 60, true);
    report = judged(fake, NULL);
    CHECK_EQ(report.clock, CLOCK_optimizer);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE);
}

/* ---- how the program ended ---- */

static struct process_report ended_with(uint32_t status)
{
    static struct model_code code = {.file = "a.py", .name = "main"};
    static struct process_record process = {.pid = 7, .end = 1};
    static struct model own = {.processes = &process, .process_count = 1};
    const struct run run = {.own = &own};
    struct fake *fake = begin();

    turn(fake, LOAD, 50, true);
    fake->model.code = &code;
    fake->model.code_count = 1;
    fake->model.head.pid = 7;
    process.status = status;
    return judged(fake, &run);
}

TEST(an_interpreter_that_failed_in_a_loop_may_have_been_loading)
{
    const struct process_report report = ended_with(1 << 8);

    CHECK(report.early);
    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK_CONTAINS(report.answer, "Too early to say: the program failed in its first loop");
}

TEST(an_interpreter_that_ended_well_in_a_loop_is_judged)
{
    const struct process_report report = ended_with(0);

    CHECK(!report.early);
    CHECK_EQ(report.verdict, KIND_retained);
}

/* ---- the arithmetic ---- */

TEST(turns_of_a_loop_stop_between_its_stretches)
{
    static const struct phase_stretch stretches[] = {{10, 20, 0}, {30, 40, 10}, {40, 45, 20}};
    static const struct {
        uint64_t all, want;
    } cases[] = {{0, 0},   {10, 0},  {11, 1},  {20, 10}, {21, 10}, {30, 10},
                 {31, 11}, {40, 20}, {41, 21}, {45, 25}, {46, 25}, {UINT64_MAX, 25}};
    const struct phase_loop loop = {.stretches = stretches, .stretch_count = 3};
    const struct phase_loop none = {.stretches = NULL};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_EQ(phases_turns(&loop, cases[i].all), cases[i].want);
    CHECK_EQ(phases_turns(&none, 10), 0);
}

/* A loop is noticed after some turns, which are one point: what the load made is not spread over them. */
TEST(what_was_before_the_phase_belongs_to_its_first_tick)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct clock_choice clock;
    struct series series;

    turn(fake, LOAD, 60, true);
    fake->model.totals.clock[CLOCK_loop] += 7;
    turn(fake, WORK_LOOP, 40, false);
    records[1].turns = 60;
    clock_choose(&clock, &fake->model, arena);
    series_build(&series, &fake->model, &clock, arena);
    CHECK_EQ(clock.from, 61);
    CHECK_EQ(series.points[0].tick, 8);
    CHECK_EQ(series.points[0].live_min, 60 * SIZE);
    CHECK_EQ(series_tick(&series, 1), 1);
    CHECK_EQ(series_tick(&series, 60), 1);
    CHECK_EQ(series_tick(&series, 62), 9);
    arena_free(arena);
}

TEST(loops_are_told_apart_by_function_and_by_place)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct phases phases;

    turn(fake, LOAD, 10, false);
    turn(fake, WORK_LOOP, 10, false);
    turn(fake, LOAD, 10, false);
    records[2].unit = 1;
    phases_read(&phases, &fake->model, arena);
    CHECK(phases.known);
    CHECK_EQ(phases.loop_count, 3);
    CHECK_EQ(phases.loops[2].from, 21);
    records[2].unit = 0;
    phases_read(&phases, &fake->model, arena);
    CHECK_EQ(phases.loop_count, 2);
    CHECK_EQ(phases.loops[0].turns, 20);
    CHECK_EQ(phases.loops[0].stretch_count, 2);
    arena_free(arena);
}

TEST(loops_beyond_the_limit_are_left_out)
{
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct phases phases;

    for (uint32_t i = 1; i <= RULE_PHASE_LOOPS + 10; i++)
        turn(fake, i, 1, false);
    phases_read(&phases, &fake->model, arena);
    CHECK_EQ(phases.loop_count, RULE_PHASE_LOOPS);
    arena_free(arena);
}

/* ---- ledgers that lie ---- */

static void forge(struct phase_record *record, unsigned which, uint64_t value)
{
    uint64_t *const numbers[] = {&record->ordinal, &record->time, &record->turns,
                                 &record->around,  &record->work, &record->after};

    *numbers[which] = value;
}

/* In turn: every number of every record is 0, 1 or the largest. Nothing is expected of the verdict. */
TEST(forged_phases_are_survived)
{
    static const uint64_t values[] = {0, 1, 55, UINT64_MAX / 20, UINT64_MAX};
    struct fake *fake = begin();
    struct arena *arena = arena_new();
    struct clock_choice clock;
    struct series series;

    turn(fake, LOAD, 40, true);
    turn(fake, WORK_LOOP, 40, false);
    turn(fake, LOAD, 40, true);
    for (unsigned i = 0; i < 3 * 6 * 5; i++) {
        const struct phase_record honest = records[i / 30];

        forge(&records[i / 30], i / 5 % 6, values[i % 5]);
        clock_choose(&clock, &fake->model, arena);
        series_build(&series, &fake->model, &clock, arena);
        for (size_t j = 0; j < fake->model.step_count; j++)
            CHECK(series_tick(&series, fake->steps[j].last) <= series.ticks + 1);
        records[i / 30] = honest;
    }
    arena_free(arena);
}

TEST(phases_out_of_order_are_judged_without_a_crash)
{
    struct fake *fake = begin();

    turn(fake, LOAD, 40, true);
    turn(fake, WORK_LOOP, 40, false);
    turn(fake, LOAD, 40, true);
    records[0].turns = UINT64_MAX;
    records[1].turns = 100;
    records[2].turns = 3;
    records[1].ordinal = UINT64_MAX;
    records[0].work = records[2].after = UINT64_MAX;
    (void)judged(fake, NULL);
    records[1].kind = UINT32_MAX;
    records[2].unit = UINT32_MAX;
    (void)judged(fake, NULL);
    memset(records, 0xff, sizeof(records));
    fake->model.phase_count = PHASES_MAX;
    (void)judged(fake, NULL);
}
