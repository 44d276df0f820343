/* JavaScript heaps that requests and events fill, or that few collections have seen. */
#include <string.h>

#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/measure/series.h"
#include "doctor/runtime/script.h"
#include "fake.h"
#include "ledger/model.h"
#include "test.h"

#define MEGABYTE (1024u * 1024u)

/* ---- requests and events: a little of each is much in a day ---- */

/* Five steps a second, so many requests or events to a step, each leaving `each` bytes. A collection every
 * tenth step, followed at once by one that takes a little more. Of its 12 s the process works `busy`. */
static struct fake *busy_for(enum clock_id clock, unsigned at_once, uint64_t each, uint64_t busy)
{
    static struct intervention_record first = {.kind = INTERVENTION_COLLECT, .ordinal = 1};
    static struct phase_record phase;
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 60; i++) {
        fake_step(fake, 1);
        fake->steps[i].time = (i + 1) * SECOND / 5;
        fake->steps[i].clock[CLOCK_mark] = 0;
        fake->steps[i].clock[clock] = at_once * (i + 1);
        fake->steps[i].gauges[GAUGE_heap_kept] =
            4 * MEGABYTE + i / 10 * 10 * at_once * each + (i % 10 == 0 ? MEGABYTE / 16 : 0);
        fake->steps[i].gauges[GAUGE_collections] = i / 10 * 2 + (i % 10 > 0);
    }
    fake_script(fake);
    phase = (struct phase_record){
        .ordinal = 1, .last = 12 * SECOND, .work = busy * SECOND, .kind = PHASE_STEPS};
    fake->model.phases = &phase;
    fake->model.phase_count = 1;
    fake->model.interventions = &first;
    fake->model.intervention_count = 1;
    return fake;
}

static enum kind judged_busy(enum clock_id clock, unsigned at_once, uint64_t each, uint64_t busy)
{
    return judged(busy_for(clock, at_once, each, busy), NULL).verdict;
}

static enum kind judged_arrivals(enum clock_id clock, unsigned at_once, uint64_t each)
{
    return judged_busy(clock, at_once, each, 2);
}

TEST(a_heap_that_gains_a_little_with_each_request_is_not_clean)
{
    CHECK_EQ(judged_arrivals(CLOCK_request, 100, 70), KIND_undecided);
}

/* The heap gains a little with each event, and no collection comes after this step. */
static enum kind judged_until(unsigned seen)
{
    struct fake *fake = busy_for(CLOCK_turn, 100, 70, 2);

    for (unsigned i = seen; i < 60; i++) {
        fake->steps[i].gauges[GAUGE_heap_kept] = fake->steps[seen - 1].gauges[GAUGE_heap_kept];
        fake->steps[i].gauges[GAUGE_collections] = fake->steps[seen - 1].gauges[GAUGE_collections];
    }
    return judged(fake, NULL).verdict;
}

TEST(what_collections_show_of_the_older_half_alone_may_be_warm_up)
{
    CHECK_EQ(judged_until(55), KIND_undecided);
    CHECK_EQ(judged_until(28), KIND_clean);
}

TEST(a_heap_that_gains_more_with_each_request_leaks)
{
    CHECK_EQ(judged_arrivals(CLOCK_request, 100, 250), KIND_retained);
}

TEST(a_heap_that_requests_do_not_fill_is_clean)
{
    CHECK_EQ(judged_arrivals(CLOCK_request, 100, 0), KIND_clean);
}

TEST(a_heap_that_gains_a_little_with_each_event_is_not_clean)
{
    CHECK_EQ(judged_arrivals(CLOCK_turn, 100, 70), KIND_undecided);
}

TEST(a_heap_that_gains_more_with_each_event_leaks)
{
    CHECK_EQ(judged_arrivals(CLOCK_turn, 100, 261), KIND_retained);
}

TEST(a_heap_that_events_do_not_fill_is_clean)
{
    CHECK_EQ(judged_arrivals(CLOCK_turn, 100, 0), KIND_clean);
}

TEST(a_loop_that_turns_as_fast_as_it_can_has_no_floor_by_day)
{
    CHECK_EQ(judged_busy(CLOCK_turn, 100, 70, 10), KIND_clean);
}

TEST(a_busy_server_of_requests_keeps_its_floor_by_day)
{
    CHECK_EQ(judged_busy(CLOCK_request, 100, 70, 10), KIND_undecided);
}

/* The same bytes for each of them: with so few turns it is a short record of each step. */
TEST(a_heap_that_gains_a_little_with_each_of_few_turns_is_clean)
{
    CHECK_EQ(judged_arrivals(CLOCK_turn, 10, 700), KIND_clean);
}

/* ---- few collections ---- */

/* 300 turns of an event loop, too few to be arrivals. V8 collects by itself at `early`, and twice on
 * request in the last tenth. The heap holds 4 MB and `each` bytes of each turn up to `until`. */
static enum kind judged_few_collections(unsigned early, uint64_t each, unsigned until)
{
    static struct intervention_record asked = {.kind = INTERVENTION_COLLECT, .ordinal = 270};
    struct fake *fake = fake_new();
    uint64_t kept = 0, collections = 0;

    for (unsigned i = 1; i <= 300; i++) {
        struct step_record *step = &fake->steps[i - 1];
        const uint64_t held = 4 * MEGABYTE + each * (i < until ? i : until);

        fake_step(fake, 1);
        step->clock[CLOCK_mark] = 0;
        step->clock[CLOCK_turn] = i;
        step->ticked = 1u << CLOCK_turn;
        if (i == early || i == 270 || i == 290) {
            kept = held;
            collections++;
        }
        step->gauges[GAUGE_heap_used] = held;
        step->gauges[GAUGE_heap_kept] = kept;
        step->gauges[GAUGE_collections] = collections;
    }
    fake->model.head.state = STATE_LAST_ROUND;
    fake->model.interventions = &asked;
    fake->model.intervention_count = 1;
    return judged(fake, NULL).verdict;
}

TEST(a_heap_that_grows_through_the_only_three_collections_is_not_clean)
{
    CHECK_EQ(judged_few_collections(90, 9500, 300), KIND_undecided);
}

TEST(a_heap_that_grew_before_the_last_two_of_three_collections_is_clean)
{
    CHECK_EQ(judged_few_collections(90, 9500, 260), KIND_clean);
}

TEST(a_heap_that_three_collections_find_as_large_is_clean)
{
    CHECK_EQ(judged_few_collections(90, 0, 300), KIND_clean);
}
