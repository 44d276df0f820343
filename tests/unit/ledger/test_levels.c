/* test_levels.c - a history of any length in bounded room. */
#include "build_ledger.h"
#include "ledger/levels.h"
#include "ledger/model.h"
#include "test.h"

#define MANY 1000000u

static uint64_t live_at(uint64_t ordinal)
{
    return (ordinal * 7919 % 1000 + 1) * 64;
}

static struct model *load(const struct ledger *ledger)
{
    struct model *model = NULL;
    struct why why = {""};

    if (model_load(&model, build_view(ledger), (size_t)ledger->size, &why) != 0)
        test_fail(__FILE__, __LINE__, "model_load: %s", why.text);
    return model;
}

static void append(struct ledger *ledger, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i <= to; i++) {
        const struct step_record step = build_step(i, live_at(i));

        CHECK(levels_append_step(ledger, &step));
    }
}

/* What a record that stands for first..last must say, computed the slow way. */
static void check_step(const struct step_record *step)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (uint64_t i = step->first; i <= step->last; i++) {
        least = live_at(i) < least ? live_at(i) : least;
        most = live_at(i) > most ? live_at(i) : most;
    }
    CHECK_EQ(step->live_min, least);
    CHECK_EQ(step->live_max, most);
    CHECK_EQ(step->class_blocks[3], least / 64);
    CHECK_EQ(step->live_bytes, live_at(step->last));
    CHECK_EQ(step->time, step->last * 1000);
    CHECK_EQ(step->clock[CLOCK_mark], step->last);
    CHECK_EQ(step->sampled, step->last - step->first + 1);
}

TEST(levels_keep_a_million_steps_in_order_without_a_gap)
{
    struct ledger ledger;
    struct model *m;
    uint64_t next = 1;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    append(&ledger, 1, MANY);
    m = load(&ledger);
    for (size_t i = 0; i < m->step_count; i++) {
        CHECK_EQ(m->steps[i].first, next);
        CHECK(m->steps[i].last >= m->steps[i].first);
        check_step(&m->steps[i]);
        next = m->steps[i].last + 1;
    }
    CHECK_EQ(next, MANY + 1);
    CHECK_EQ(m->steps[m->step_count - 1].first, MANY); /* the latest are kept one by one */
    CHECK(m->step_count > LEVELS_FIRST + 4 * LEVELS_LATER);
    CHECK(ledger_entry(&ledger, SECTION_steps)->taken <= levels_start(11));
    model_free(m);
    ledger_close(&ledger);
}

/* A program killed between any two stores: the spans are whole, and at most the last is missing. */
TEST(levels_are_whole_after_every_append)
{
    static const uint64_t lengths[] = {1, 2047, 2048, 2049, 2050, 4096, 6143, 6144, 6145};
    struct ledger ledger;
    uint64_t done = 0;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++) {
        struct model *m;
        uint64_t next = 1;

        append(&ledger, done + 1, lengths[n]);
        done = lengths[n];
        m = load(&ledger);
        for (size_t i = 0; i < m->step_count; i++) {
            CHECK_EQ(m->steps[i].first, next);
            next = m->steps[i].last + 1;
        }
        CHECK_EQ(next, done + 1);
        model_free(m);
    }
    ledger_close(&ledger);
}

/* A span that is published in the coarser level and not yet removed from the finer one. */
TEST(levels_met_twice_count_once_and_the_coarser_one_stays)
{
    struct ledger ledger;
    struct level_record *levels;
    struct step_record step;
    struct model *m;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    append(&ledger, 1, LEVELS_FIRST + 1);
    levels = ledger_records(&ledger, SECTION_step_levels);
    CHECK_EQ(levels[0].head, 2);
    levels[0].head = 0;
    levels[0].tail = LEVELS_FIRST;
    step = build_step(1, live_at(1));
    step_pack(ledger_records(&ledger, SECTION_steps), &step);
    m = load(&ledger);
    CHECK_EQ(m->step_count, LEVELS_FIRST - 1);
    CHECK_EQ(m->steps[0].first, 1);
    CHECK_EQ(m->steps[0].last, 2);
    CHECK_EQ(m->steps[1].first, 3);
    model_free(m);
    ledger_close(&ledger);
}

/* Two thousand million steps cannot be appended here; the last level is made full by hand. */
TEST(levels_squeeze_the_oldest_when_everything_is_full)
{
    struct ledger ledger;
    struct model *m;
    uint64_t last, next = 1;

    build_full_process(&ledger, "1.0.tare");
    m = load(&ledger);
    last = m->steps[m->step_count - 1].last;
    model_free(m);
    for (uint64_t i = 1; i <= 100; i++) {
        const struct step_record step = build_step(last + i, 64);

        CHECK(levels_append_step(&ledger, &step));
    }
    m = load(&ledger);
    for (size_t i = 0; i < m->step_count; i++) {
        CHECK_EQ(m->steps[i].first, next);
        next = m->steps[i].last + 1;
    }
    CHECK_EQ(next, last + 101);
    model_free(m);
    ledger_close(&ledger);
}

TEST(levels_change_nothing_when_there_is_no_room)
{
    struct ledger ledger;
    struct section_entry *entry;
    struct model *m;
    const struct step_record step = build_step(LEVELS_FIRST + 1, 64);

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    append(&ledger, 1, LEVELS_FIRST);
    entry = ledger_entry(&ledger, SECTION_steps);
    entry->taken = LEVELS_FIRST; /* no room for the first record of the next level */
    ledger.inode++;              /* and none is to be had: the file is not ours any more */
    CHECK(!levels_append_step(&ledger, &step));
    m = load(&ledger);
    CHECK_EQ(m->step_count, LEVELS_FIRST);
    CHECK_EQ(m->steps[LEVELS_FIRST - 1].last, LEVELS_FIRST);
    CHECK_EQ(m->lost[LOST_space_refused], 1);
    model_free(m);
    ledger_close(&ledger);
}
