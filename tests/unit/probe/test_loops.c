/* Loops of Python functions: where they are, and which one has turned. */
#include <string.h>

#include "probe/python/loops_pure.h"
#include "test.h"

static const struct loop_code nested = {
    .code = 1, .user = true, .count = 2, .loops = {{40, 80}, {10, 100}}};
static const struct loop_code plain = {.code = 2, .user = true};

/* A stack of nested() at one place, which calls plain() at another; 0: it does not. */
static struct loop_look look(uint64_t outer, uint64_t inner)
{
    struct loop_look out = {.count = inner ? 2 : 1, .whole = true};

    out.levels[0] = (struct loop_level){.code = 1, .offset = outer, .known = &nested};
    out.levels[1] = (struct loop_level){.code = 2, .offset = inner, .known = &plain};
    return out;
}

static int turned(struct loop_look before, struct loop_look now, bool passed)
{
    const struct loop_turn turn = loops_turned(&before, &now, passed);

    return turn.loop ? (int)turn.loop->start : -1;
}

TEST(loops_are_found_in_the_code_of_each_version)
{
    static const struct {
        uint32_t version;
        uint8_t bytes[12];
        uint32_t start, last;
    } cases[] = {
        {0x030900f0, {9, 0, 93, 6, 9, 0, 113, 2, 83, 0}, 2, 6},
        {0x030a00f0, {9, 0, 93, 6, 9, 0, 113, 1, 83, 0}, 2, 6},
        {0x030a00f0, {9, 0, 9, 0, 115, 1, 83, 0}, 2, 4}, /* while */
        {0x030b00f0, {9, 0, 93, 6, 9, 0, 140, 3, 83, 0}, 2, 6},
        {0x030b00f0, {9, 0, 9, 0, 176, 2, 83, 0}, 2, 4},
        {0x030c00f0, {9, 0, 93, 6, 9, 0, 140, 3, 83, 0}, 2, 6},
        {0x030d00f0, {30, 0, 72, 6, 30, 0, 77, 4, 0, 0, 36, 0}, 2, 6}, /* a cache behind the jump */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct loop_code code = {.code = 1};

        CHECK_EQ(loops_read(cases[i].bytes, sizeof(cases[i].bytes), cases[i].version, &code), true);
        CHECK_EQ(code.count, 1);
        CHECK_EQ(code.loops[0].start, cases[i].start);
        CHECK_EQ(code.loops[0].last, cases[i].last);
    }
}

TEST(unknown_versions_and_hostile_code_have_no_loops)
{
    uint8_t bytes[512] = {0};
    struct loop_code code;

    CHECK_EQ(loops_read(bytes, 0, 0x03630000, &code), false);
    CHECK_EQ(loops_read(bytes, 0, 0x020700f0, &code), false);
    CHECK_EQ(loops_read(bytes, 0, 0x030b00f0, &code), true);
    CHECK_EQ(code.count, 0);
    memset(bytes, 140, sizeof(bytes)); /* jumps far before the beginning */
    CHECK_EQ(loops_read(bytes, sizeof(bytes), 0x030b00f0, &code), true);
    memset(bytes, 113, sizeof(bytes));
    CHECK_EQ(loops_read(bytes, sizeof(bytes), 0x030900f0, &code), true);
    for (unsigned i = 0; i < code.count; i++)
        CHECK_EQ(code.loops[i].start <= code.loops[i].last, true);
}

TEST(going_back_is_a_turn_of_the_loop_that_both_places_are_in)
{
    CHECK_EQ(turned(look(90, 0), look(20, 0), false), 10);
    CHECK_EQ(turned(look(70, 0), look(50, 0), false), 40);
    CHECK_EQ(turned(look(90, 0), look(50, 0), false), 10);
    CHECK_EQ(turned(look(20, 0), look(90, 0), false), -1);  /* forward */
    CHECK_EQ(turned(look(120, 0), look(20, 0), false), -1); /* the function was called again */
}

TEST(the_same_place_again_is_a_turn_if_it_was_left)
{
    CHECK_EQ(turned(look(50, 0), look(50, 0), false), -1);
    CHECK_EQ(turned(look(50, 0), look(50, 0), true), 40);
    CHECK_EQ(turned(look(20, 8), look(20, 8), true), 10); /* the loop of the caller */
    CHECK_EQ(turned(look(5, 8), look(5, 8), true), -1);   /* it has none there */
}

/* The same, with this in the variables of nested(). */
static struct loop_look in_state(struct loop_look of, uint64_t state)
{
    of.levels[0].state = state;
    return of;
}

TEST(the_same_place_with_other_variables_is_a_turn)
{
    /* An exception leaves plain(): what nested() makes then is made at the place of the call. */
    CHECK_EQ(turned(in_state(look(20, 0), 1), in_state(look(20, 8), 2), false), 10);
    CHECK_EQ(turned(in_state(look(20, 8), 1), in_state(look(20, 30), 2), false), 10);
    CHECK_EQ(turned(in_state(look(20, 8), 1), in_state(look(20, 30), 1), false), -1);
    CHECK_EQ(turned(in_state(look(20, 0), 0), in_state(look(20, 8), 2), false), -1); /* not known */
    CHECK_EQ(turned(in_state(look(5, 0), 1), in_state(look(5, 8), 2), false), -1);   /* in no loop */
}

TEST(a_function_that_begins_again_was_called_again)
{
    CHECK_EQ(turned(look(20, 30), look(20, 8), false), 10);
    CHECK_EQ(turned(look(20, 8), look(20, 30), false), -1);
    CHECK_EQ(turned(look(20, 8), look(20, 0), false), -1); /* nothing is known of what it did */
    CHECK_EQ(turned(look(50, 8), look(20, 8), false), 10);
}

TEST(what_a_caller_has_called_anew_begins_anew)
{
    struct loop_look before = look(20, 8), now = look(60, 8);
    struct loop_turn turn = loops_turned(&before, &now, false);

    CHECK_EQ(loops_is_new(&turn, 0), false);
    CHECK_EQ(loops_is_new(&turn, 1), true);
    turn = loops_turned(&before, &before, false);
    CHECK_EQ(loops_is_new(&turn, 1), false);
    CHECK_EQ(loops_within(&before, &before), true);
    now = look(20, 0);
    CHECK_EQ(loops_within(&now, &before), true);
    CHECK_EQ(loops_within(&before, &now), false);
}
