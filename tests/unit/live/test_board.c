/* test_board.c - what the live view shows and what its keys do, without a terminal. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "live/board.h"
#include "live/curve.h"
#include "live/roster.h"
#include "test.h"

#define SECOND 1000000000ull

static struct frame frame;

/* ---- a digest made by hand ---- */

static uint32_t add(struct digest *digest, const char *text)
{
    const size_t at = digest->texts.length;

    text_add(&digest->texts, text, strlen(text) + 1);
    return (uint32_t)at;
}

static void make_digest(struct digest *digest)
{
    static const struct {
        uint64_t live, allocated;
        double growth;
        const char *where;
    } sites[] = {{3000, 9000, 5, "c.py:1 in load"},
                 {2000, 2000, 40, "a.py:7 in keep"},
                 {1000, 90000, 0, "b.py:3 in work"}};

    memset(digest, 0, sizeof(*digest));
    text_add(&digest->texts, "", 1);
    digest->head.verdict = KIND_retained;
    digest->head.program = add(digest, "python train.py");
    digest->head.answer = add(digest, "It grows: 40 B per step.");
    digest->head.started = SECOND;
    digest->head.end = 11 * SECOND;
    digest->sites = mem_zalloc_array(3, sizeof(*digest->sites));
    for (size_t i = 0; i < 3; i++)
        digest->sites[digest->head.site_count++] =
            (struct digest_site){.pid = 7,
                                 .live = sites[i].live,
                                 .allocated = sites[i].allocated,
                                 .growth = sites[i].growth,
                                 .where = add(digest, sites[i].where),
                                 .page = add(digest, "  Made at   the whole stack\n")};
    digest->findings = mem_zalloc_array(1, sizeof(*digest->findings));
    digest->findings[digest->head.finding_count++] =
        (struct digest_finding){.pid = 7,
                                .id = 1,
                                .kind = KIND_retained,
                                .rate = 40,
                                .unit = add(digest, "step"),
                                .where = add(digest, "a.py:7 in keep"),
                                .summary = add(digest, "Grows by 40 B per step."),
                                .page = add(digest, "1. retained\n  Why       Grows and grows.\n")};
    digest->processes = mem_zalloc_array(1, sizeof(*digest->processes));
    digest->processes[digest->head.process_count++] =
        (struct digest_process){.pid = 7,
                                .clock = 1,
                                .ticks = 500,
                                .live = 6000,
                                .resident = 1 << 20,
                                .verdict = KIND_retained,
                                .name = add(digest, "python3"),
                                .ended = add(digest, "running"),
                                .page = add(digest, "  Program   python train.py\n")};
    digest->points = mem_zalloc_array(2, sizeof(*digest->points));
    digest->points[0] = (struct digest_point){SECOND, 1000, 10};
    digest->points[1] = (struct digest_point){11 * SECOND, 2000, 6000};
    digest->head.point_count = 2;
}

struct shown {
    struct digest digest;
    struct board board;
};

static struct shown shown;

static void begin(void)
{
    const struct board_reading reading = {
        .now = 12 * SECOND, .resident = 2 << 20, .live = 7000, .ticks = 512, .running = 1};

    make_digest(&shown.digest);
    board_init(&shown.board);
    board_judged(&shown.board, &shown.digest, 11 * SECOND);
    board_read(&shown.board, &reading);
}

static void end(void)
{
    board_fini(&shown.board);
    digest_free(&shown.digest);
}

/* The whole frame as one text; the caller frees it. */
static char *draw(unsigned rows, unsigned columns)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    frame_clear(&frame, rows, columns, false);
    board_draw(&shown.board, &frame);
    frame_write(&frame, out);
    (void)fclose(out);
    return text;
}

static void check_drawn(unsigned rows, unsigned columns, const char *part)
{
    char *text = draw(rows, columns);

    CHECK_CONTAINS(text, part);
    free(text);
}

static void check_hidden(unsigned rows, unsigned columns, const char *part)
{
    char *text = draw(rows, columns);

    CHECK(!strstr(text, part));
    free(text);
}

static void press(const char *keys)
{
    for (; *keys; keys++)
        (void)board_key(&shown.board, *keys);
}

/* The row of the frame that holds a text; -1: none. */
static int row_of(const char *part)
{
    for (unsigned i = 0; i < frame.rows; i++)
        if (strstr(frame.lines[i].text, part))
            return (int)i;
    return -1;
}

/* ---- the board ---- */

TEST(board_shows_status_answer_and_lists)
{
    static const char *const parts[] = {"tare live: python train.py",
                                        "running  0:11",
                                        "step 512 by mark",
                                        "2.0 MB resident",
                                        "6.8 KB live",
                                        "retained so far: It grows",
                                        "Suspects: 1",
                                        "40 B/step  a.py:7",
                                        "Sites: 3, by live",
                                        "Processes: 1",
                                        "7 python3: retained",
                                        "q quit"};

    begin();
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        check_drawn(24, 80, parts[i]);
    end();
}

TEST(board_shows_devices_beside_the_host)
{
    begin();
    check_hidden(24, 80, "device");
    shown.digest.processes[0].device = 3 << 20;
    shown.digest.sites[1].device = 1;
    check_drawn(24, 80, "6.8 KB live  3.0 MB on devices  1 process");
    check_drawn(24, 80, "1.0 MB resident, 3.0 MB on devices; running");
    check_drawn(24, 80, "  device 0 a.py:7 in keep");
    shown.board.reading.device = 5 << 20;
    check_drawn(24, 80, "5.0 MB on devices");
    check_drawn(24, 40, "2.0 MB resident  5.0 MB on devices"); /* the rest has no room */
    end();
}

TEST(board_says_that_a_run_has_ended)
{
    struct board_reading reading = {.now = 90 * SECOND, .ended = true};

    begin();
    board_read(&shown.board, &reading);
    check_drawn(24, 80, "ended  0:10");
    check_hidden(24, 80, "so far");
    reading = (struct board_reading){.now = 90 * SECOND, .unwatched = true};
    board_read(&shown.board, &reading);
    check_drawn(24, 80, "tare run is gone");
    end();
}

TEST(board_sorts_sites_by_each_column)
{
    static const struct {
        char key;
        const char *first, *second, *third;
    } orders[] = {{'l', "c.py:1", "a.py:7", "b.py:3"},
                  {'g', "a.py:7", "c.py:1", "b.py:3"},
                  {'a', "b.py:3", "c.py:1", "a.py:7"},
                  {'n', "a.py:7", "b.py:3", "c.py:1"}};

    begin();
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        int heading;

        (void)board_key(&shown.board, orders[i].key);
        free(draw(24, 80));
        heading = row_of("Sites: 3");
        CHECK(heading > 0);
        CHECK_CONTAINS(frame.lines[heading + 1].text, orders[i].first);
        CHECK_CONTAINS(frame.lines[heading + 2].text, orders[i].second);
        CHECK_CONTAINS(frame.lines[heading + 3].text, orders[i].third);
    }
    press("s");
    CHECK_EQ(shown.board.sort, SORT_LIVE);
    end();
}

TEST(board_filters_while_it_is_typed)
{
    begin();
    press("/KEEP");
    check_drawn(24, 80, "filter: KEEP_");
    check_drawn(24, 80, "Sites: 1");
    check_hidden(24, 80, "b.py:3");
    press("qs/"); /* letters now, not keys */
    CHECK_TEXT(shown.board.filter, "KEEPqs/");
    for (int i = 0; i < 3; i++)
        (void)board_key(&shown.board, PRESS_ERASE);
    (void)board_key(&shown.board, PRESS_ENTER);
    CHECK(!shown.board.typing);
    check_drawn(24, 80, "filter: KEEP  q quit");
    (void)board_key(&shown.board, PRESS_ESCAPE);
    check_drawn(24, 80, "Sites: 3");
    press("/\xc3\xa4");
    (void)board_key(&shown.board, PRESS_ERASE);
    CHECK_TEXT(shown.board.filter, "");
    for (int i = 0; i < 200; i++)
        press("x");
    CHECK_EQ(strlen(shown.board.filter), sizeof(shown.board.filter) - 1);
    check_drawn(24, 80, "Suspects: 0 shown");
    end();
}

TEST(board_opens_what_is_selected_and_comes_back)
{
    begin();
    (void)board_key(&shown.board, PRESS_ENTER);
    check_drawn(24, 80, "Grows and grows.");
    check_drawn(24, 80, "tare live: a.py:7 in keep");
    check_hidden(24, 80, "Suspects");
    (void)board_key(&shown.board, PRESS_ESCAPE);
    (void)board_key(&shown.board, PRESS_DOWN);
    (void)board_key(&shown.board, PRESS_ENTER);
    check_drawn(24, 80, "the whole stack");
    (void)board_key(&shown.board, PRESS_ESCAPE);
    (void)board_key(&shown.board, PRESS_LAST);
    (void)board_key(&shown.board, PRESS_ENTER);
    check_drawn(24, 80, "Program   python train.py");
    CHECK_EQ(board_key(&shown.board, 'q'), WISH_QUIT);
    end();
}

TEST(board_keeps_what_is_selected_when_the_order_changes)
{
    struct digest next;

    begin();
    (void)board_key(&shown.board, PRESS_TAB); /* the first site: c.py */
    CHECK_TEXT(shown.board.mark.name, "c.py:1 in load");
    press("n");
    free(draw(24, 80));
    CHECK(frame.lines[row_of("c.py:1")].marked);
    make_digest(&next);
    next.sites[0].live = 1;
    digest_free(&shown.digest);
    shown.digest = next;
    board_judged(&shown.board, &shown.digest, 12 * SECOND);
    press("l");
    free(draw(24, 80));
    CHECK(frame.lines[row_of("c.py:1")].marked);
    CHECK_EQ(shown.board.entries[shown.board.selected].index, 0);
    end();
}

TEST(board_fits_every_size)
{
    begin();
    for (unsigned rows = 1; rows < 60; rows++)
        for (unsigned columns = 1; columns < 130; columns += 3) {
            free(draw(rows, columns));
            for (unsigned i = 0; i < rows; i++)
                CHECK(frame_width(frame.lines[i].text) <= columns);
            if (rows >= FRAME_ROWS_MIN && columns >= FRAME_COLUMNS_MIN)
                CHECK(row_of("Suspects") > 0 && row_of("q quit") == (int)rows - 1);
            else if (columns > 12)
                CHECK(row_of("needs 40x10") == 0);
        }
    for (int i = 0; i < 9; i++) {
        (void)board_key(&shown.board, PRESS_DOWN);
        free(draw(10, 40));
        CHECK(shown.board.selected >= shown.board.top &&
              shown.board.selected < shown.board.top + shown.board.list_rows);
    }
    end();
}

TEST(board_keeps_the_line_of_a_long_path)
{
    begin();
    shown.digest.sites[0].where = add(
        &shown.digest, "/a/very/long/path/that/no/terminal/has/room/for/train.py:12 in load_batch");
    check_drawn(24, 80, "  …/room/for/train.py:12 in load_batch");
    check_drawn(24, 200, "  /a/very/long/path");
    shown.digest.sites[0].where =
        add(&shown.digest, "one_name_without_any_path_that_is_much_too_long_for_a_row of/it");
    check_drawn(24, 80, "one_name_without_any_path");
    end();
}

TEST(board_tells_what_it_cannot_show_yet)
{
    board_init(&shown.board);
    check_drawn(24, 80, "reading the run");
    for (int key = 0; key < 128; key++)
        if (key != 'q')
            CHECK(board_key(&shown.board, key) != WISH_QUIT || shown.board.typing);
    board_fini(&shown.board);
    begin();
    board_say(&shown.board, "asked 1 process", 12 * SECOND);
    check_drawn(24, 80, "asked 1 process");
    shown.board.reading.now = 60 * SECOND;
    check_hidden(24, 80, "asked 1 process");
    CHECK_EQ(board_key(&shown.board, 'c'), WISH_COLLECT);
    press("h");
    check_drawn(40, 80, "Columns of the sites");
    end();
}

TEST(board_keeps_a_long_watch_in_bounds)
{
    begin();
    for (uint64_t i = 0; i < 5000; i++) {
        const struct board_reading reading = {.now = (12 + i) * SECOND, .resident = i, .live = i};

        board_read(&shown.board, &reading);
        CHECK(shown.board.recent_count <= BOARD_RECENT);
    }
    CHECK_EQ(shown.board.recent[shown.board.recent_count - 1].live, 4999);
    check_drawn(24, 80, "running");
    end();
}

/* ---- its parts ---- */

TEST(frame_cuts_at_the_width_and_replaces_without_utf8)
{
    size_t skip;

    frame_clear(&frame, 2, 6, false);
    frame_put(&frame, 0, TONE_PLAIN, "abcdef");
    frame_put(&frame, 1, TONE_PLAIN, "abcdefg");
    frame_put(&frame, 2, TONE_PLAIN, "beyond the last row");
    CHECK_TEXT(frame.lines[0].text, "abcdef");
    CHECK_TEXT(frame.lines[1].text, "abcde…");
    frame_clear(&frame, 1, 40, false);
    frame_put(&frame, 0, TONE_PLAIN, "a\x1b[2J b\x7f \xe2\x80\xae c\xff");
    CHECK_TEXT(frame.lines[0].text, "a\\x1b[2J b\\x7f \\u{202e} c\\xff");
    frame_clear(&frame, 1, 20, true);
    frame_put(&frame, 0, TONE_PLAIN, "a → b … █ ä");
    CHECK_TEXT(frame.lines[0].text, "a > b ~ # ?");
    CHECK_EQ(frame_fold("one two three", 9, &skip), 7);
    CHECK_EQ(skip, 1);
    CHECK_EQ(frame_fold("one\ntwo", 9, &skip), 3);
    CHECK_EQ(frame_fold("unbreakable", 4, &skip), 4);
    CHECK_EQ(skip, 0);
    CHECK_EQ(frame_fold("", 4, &skip), 0);
    CHECK_EQ(frame_fold("\xff\xff\xff", 2, &skip), 2);
}

TEST(curve_rises_from_left_to_right)
{
    struct digest_point points[100];
    static struct curve curve;

    for (uint64_t i = 0; i < 100; i++)
        points[i] = (struct digest_point){.time = i * SECOND, .resident = i, .live = 99 - i};
    curve_sample(&curve, points, 100, CURVE_RESIDENT, 20, 2);
    CHECK_EQ(curve.most, 99);
    for (size_t i = 1; i < 40; i++)
        CHECK(curve.values[i] >= curve.values[i - 1]);
    curve_draw(&curve, true);
    CHECK_EQ(strlen(curve.lines[0]), 20);
    CHECK(curve.lines[0][0] == ' ' && curve.lines[0][19] == '#' && curve.lines[1][19] == '#');
    curve_draw(&curve, false);
    CHECK_EQ(strlen(curve.lines[0]), 60);
    CHECK_TEXT(curve.lines[1] + 57, "⣿");
    curve_sample(&curve, points, 100, CURVE_LIVE, 20, 2);
    CHECK(curve.values[0] > curve.values[39]);
    curve_sample(&curve, points, 0, CURVE_LIVE, 20, 2);
    curve_draw(&curve, true);
    CHECK_TEXT(curve.lines[0], "                    ");
}

TEST(roster_lists_runs_with_what_is_known)
{
    static struct roster roster;

    roster.rows[0] = (struct roster_row){.pid = 41,
                                         .program = "/usr/bin/python train.py",
                                         .directory = "/srv/run-1",
                                         .ticks = 1200,
                                         .resident = 1 << 20,
                                         .growth = 2048,
                                         .unit = "step",
                                         .judged = true,
                                         .verdict = KIND_native};
    roster.rows[1] = (struct roster_row){.pid = 42, .program = "", .directory = "/srv/run-2"};
    roster.count = 2;
    frame_clear(&frame, 4, 200, false);
    roster_draw(&roster, &frame, NULL);
    CHECK_TEXT(frame.lines[0].text, "Runs of tare on this machine: 2");
    CHECK_CONTAINS(frame.lines[2].text,
                   "     41    1,200   1.0 MB     2.0 KB/step  native           python train.py");
    CHECK_CONTAINS(frame.lines[2].text, "/srv/run-1");
    CHECK_CONTAINS(frame.lines[3].text, "not judged yet");
    for (unsigned columns = 1; columns < 130; columns++) {
        frame_clear(&frame, 10, columns, false);
        roster_draw(&roster, &frame, "q quit");
        for (unsigned i = 0; i < frame.rows; i++)
            CHECK(frame_width(frame.lines[i].text) <= columns);
    }
    CHECK(roster_press(&roster, PRESS_DOWN));
    CHECK(!roster_press(&roster, PRESS_DOWN));
    CHECK_EQ(roster.selected, 1);
}
