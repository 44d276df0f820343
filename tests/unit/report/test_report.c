/* The forms of a report, from a diagnosis made by hand. */
#include "test.h"

#include <stdlib.h>

#include "doctor/facts/diagnosis.h"
#include "report/forms.h"
#include "report/json/json_writer.h"
#include "report/page.h"

static const struct place places[] = {
    {.file = "/src/cache.c",
     .line = 41,
     .function = "cache_add",
     .module = "train",
     .text = "entry = malloc(size);",
     .user = true},
    {.file = "/usr/include/c++/12/x.h", .line = 7, .function = "std::helper", .module = "train"},
    {.function = "train+0x12", .module = "train", .user = true},
};
static const struct place stored = {.file = "/src/\033[2J.c",
                                    .line = 5,
                                    .function = "keep",
                                    .text = "list[n++] = \xff;",
                                    .user = true};
static const char *evidence[] = {"412 of 412 blocks are still alive."};
static const struct survival survival[] = {{1, 50, 50, 49}};
static const struct finding findings[] = {{
    .id = 1, .number = 1,
    .kind = KIND_native,
    .confidence = 0.99,
    .rate = {1048576, 1000000, 1100000},
    .live_bytes = 412ull << 20,
    .live_blocks = 412,
    .since = 3,
    .allocated_at = places,
    .allocated_count = 3,
    .stored_at = &stored,
    .held_by = "cache (cache.c:12)",
    .summary = "Blocks survive.",
    .evidence = evidence,
    .evidence_count = 1,
    .remedy = {.text = "Free them.", .code = "free(entry);"},
    .survival = survival,
    .survival_count = 1,
}};
static const struct site_summary sites[] = {
    {.places = places, .place_count = 3, .live_bytes = 3 << 20, .live_blocks = 3, .growth = 4096}};
static const char *notes[] = {"a note\r\nwith \xe2\x80\xae turns"};

static struct process_report processes[] = {{
    .pid = 100,
    .program = "/bin/train",
    .command = "train --fast",
    .ended = "exit 0",
    .verdict = KIND_native,
    .confidence = 0.99,
    .answer = "Yes: 1.0 MB per step since step 3.",
    .clock = CLOCK_mark,
    .clock_reason = "the program marks its steps",
    .clock_count = 412,
    .seconds = 12,
    .live_sites = sites,
    .live_site_count = 1,
    .growing_sites = sites,
    .growing_site_count = 1,
    .forecast = {.known = true,
                 .limit = "the cgroup",
                 .limit_bytes = 4ull << 30,
                 .headroom = 3ull << 30,
                 .steps_low = 2900,
                 .steps_high = 3200,
                 .seconds_low = 7200,
                 .seconds_high = 1.0 / 0.0},
    .findings = findings,
    .finding_count = 1,
    .notes = notes,
    .note_count = 1,
    .allocator = "libc.so.6",
    .rate = 65536,
    .samples = 1234,
}};

static const struct cost_summary cost = {
    .kinds = {[COST_last_round] = {.count = 1, .pause_seconds = 0.2},
              [COST_trim] = {.count = 1, .program_seconds = 0.0002},
              [COST_holders] = {.count = 2, .program_seconds = 0.01, .copy_seconds = 0.11},
              [COST_collect] = {.count = 3, .program_seconds = 0.08, .refused = 1},
              [COST_watch] = {.program_seconds = 0.1}},
    .program_seconds = 0.1902, .copy_seconds = 0.11,
    .pause_seconds = 0.031, .longest_seconds = 0.012, .wait_seconds = 0.2};

static const struct diagnosis diagnosis = {.verdict = KIND_native,
                                           .confidence = 0.99,
                                           .answer = "Yes: 1.0 MB per step since step 3.",
                                           .processes = processes,
                                           .process_count = 1,
                                           .cost = &cost,
                                           .effort = {42, 0.44, 0.3, 1234}};

static char *written(bool json, bool verbose, bool color)
{
    const struct report_options options = {.json = json, .verbose = verbose, .color = color};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    CHECK(out != NULL);
    if (json)
        report_json(&diagnosis, out);
    else
        report_text(&diagnosis, &options, out);
    CHECK_EQ(fclose(out), 0);
    return text;
}

TEST(text_report_answers_first_and_gives_every_part)
{
    char *text = written(false, true, false);

    CHECK_EQ(strncmp(text, "Does it leak? Yes: 1.0 MB per step since step 3.\n", 49), 0);
    CHECK_CONTAINS(text, "1. native, confidence 99%");
    CHECK_CONTAINS(text, "Why       Blocks survive.");
    CHECK_CONTAINS(text, "Made at   /src/cache.c:41 in cache_add\n");
    CHECK_CONTAINS(text, "    entry = malloc(size);");
    CHECK_CONTAINS(text, "called from train+0x12");
    CHECK(strstr(text, "called from /usr/include") == NULL);
    CHECK_CONTAINS(text, "Stored at /src/\\x1b[2J.c:5 in keep");
    CHECK_CONTAINS(text, "Held by   cache (cache.c:12)");
    CHECK_CONTAINS(text, "Growth    1.0 MB per step");
    CHECK_CONTAINS(text, "Forecast  Out of memory in 2.0 h or more (3,000 steps); the cgroup: 3.0 GB left.");
    CHECK_CONTAINS(text, "Fix       Free them.\n");
    CHECK_CONTAINS(text, "a note\\x0d\\nwith \\u{202e} turns");
    CHECK_CONTAINS(text, "412 steps by the clock \"mark\" in 12 s");
    CHECK_CONTAINS(text, "Cost      measuring took 0.30 s of 42 s of processor time: 2 searches");
    CHECK_CONTAINS(text, "for holders 0.12 s (0.11 s\n            in copies), watched size classes 0.10 s, ");
    CHECK_CONTAINS(text, "3 collections 80 ms, 1 trim of the heap under 1\n            ms\n");
    CHECK_CONTAINS(text, "    longest pause 12 ms, together 31 ms; waited for tare before the end: 0.20 s\n");
    CHECK_CONTAINS(text, "            tare run itself 0.44 s, 0.30 s of it for 1,234 looks at ledgers\n");
    CHECK(strchr(text, '\033') == NULL);
    free(text);
}

TEST(short_text_report_has_what_grows_and_what_to_change)
{
    char *text = written(false, false, false);

    CHECK_EQ(strncmp(text, "Does it leak? Yes: 1.0 MB per step since step 3.\n", 49), 0);
    CHECK_CONTAINS(text, "1. native, confidence 99%");
    CHECK_CONTAINS(text, "Rate      1.0 MB per step");
    CHECK_CONTAINS(text, "Stored at /src/\\x1b[2J.c:5 in keep");
    CHECK_CONTAINS(text, "Made at   /src/cache.c:41 in cache_add\n");
    CHECK_CONTAINS(text, "Held by   cache (cache.c:12)");
    CHECK_CONTAINS(text, "Fix       Free them.\n                free(entry);\n");
    CHECK_CONTAINS(text, "Clock     412 calls of tare.step() in 12 s\n");
    CHECK(strstr(text, "Account") == NULL);
    CHECK(strstr(text, "Growing") == NULL);
    free(text);
}

TEST(text_report_is_coloured_only_when_asked)
{
    char *text = written(false, false, true);

    CHECK_CONTAINS(text, "\033[1;31mYes");
    CHECK(strstr(text, "\033[2J") == NULL); /* no escape but ours */
    free(text);
}

TEST(json_report_is_whole_and_harmless)
{
    char *text = written(true, false, false);

    CHECK_CONTAINS(text, "\"schema\": 1,");
    CHECK_CONTAINS(text, "\"kind\": \"native\"");
    CHECK_CONTAINS(text, "\"estimate\": 1048576");
    CHECK_CONTAINS(text, "\"file\": \"/src/\\u001b[2J.c\"");
    CHECK_CONTAINS(text, "\"text\": \"list[n++] = \xef\xbf\xbd;\"");
    CHECK_CONTAINS(text, "\"seconds_high\": null");
    CHECK_CONTAINS(text, "\"setting\": null");
    CHECK_CONTAINS(text, "\"remainder\": null");
    CHECK_CONTAINS(text, "a note\\r\\nwith \\u202e turns");
    CHECK(strchr(text, '\033') == NULL);
    free(text);
}

TEST(json_writer_keeps_commas_and_nesting)
{
    char *text = NULL;
    size_t size;
    struct json json;

    json_init(&json, open_memstream(&text, &size));
    json_object(&json, NULL);
    json_list(&json, "empty");
    json_end(&json, ']');
    json_list(&json, "two");
    json_whole(&json, NULL, -1);
    json_number(&json, NULL, 0.5);
    json_end(&json, ']');
    json_truth(&json, "yes", true);
    json_number(&json, "nan", 0.0 / 0.0);
    json_end(&json, '}');
    json_fini(&json);
    CHECK_EQ(fclose(json.out), 0);
    CHECK_TEXT(text, "{\n  \"empty\": [],\n  \"two\": [\n    -1,\n    0.5\n  ],\n  \"yes\": true,\n"
                     "  \"nan\": null\n}\n");
    free(text);
}

TEST(page_says_durations_in_the_unit_that_fits)
{
    static const struct {
        double seconds;
        const char *want;
    } cases[] = {{0.015, "15 ms"}, {0.5, "0.5 s"},  {42, "42 s"},       {180, "3 min"},
                 {7200, "2.0 h"},  {90000, "25 h"}, {345600, "4 days"}, {1e12, "years"}};
    char text[TEXT_SIZE_MAX];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_TEXT(page_seconds(text, cases[i].seconds), cases[i].want);
}

TEST(kinds_have_names_and_exit_codes)
{
    CHECK_TEXT(kind_name(KIND_unbounded_cache), "unbounded-cache");
    CHECK_EQ(kind_status(KIND_retained), 1);
    CHECK_EQ(kind_status(KIND_undecided), 3);
    CHECK_EQ(kind_status(KIND_plateau), 0);
    CHECK(KIND_undecided < KIND_unbounded_cache && KIND_undecided > KIND_gc_lag);
}

TEST(places_are_the_same_by_line_file_and_function)
{
    const struct place at = {.file = "a.c", .line = 3, .function = "f"};
    const struct place other = {.file = "a.c", .line = 3, .function = "g"};
    const struct place below = {.file = "a.c", .line = 4, .function = "f"};
    const struct place unknown = {.function = "f"};

    CHECK(place_same(&at, &at) && place_same(&unknown, &unknown) && place_same(NULL, NULL));
    CHECK(!place_same(&at, &other) && !place_same(&at, &below) && !place_same(&at, NULL));
    CHECK(place_same_line(&at, &other) && !place_same_line(&at, &below));
    CHECK(!place_same_line(&unknown, &unknown)); /* no line is no place to agree on */
}
