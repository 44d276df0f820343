/* test_opt.c - sizes and option tables. */
#include "cli/opt.h"
#include "test.h"

TEST(opt_size_reads_what_people_write)
{
    static const struct {
        const char *text;
        uint64_t want; /* 0: refused */
    } cases[] = {
        {"1", 1},        {"4096", 4096},  {"4096B", 4096}, {"64K", 65536},   {"64k", 65536},
        {"64KB", 65536}, {"64KiB", 65536}, {"2G", 2ull << 30}, {"1.5M", 1572864}, {"1T", 1ull << 40},
        {"", 0},         {"0", 0},        {"-1", 0},       {"K", 0},         {"64X", 0},
        {"64KK", 0},     {"nan", 0},      {"inf", 0},      {"1e30", 0},      {"99999999T", 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t bytes = 0;

        if (opt_size(cases[i].text, &bytes) != (cases[i].want != 0) || bytes != cases[i].want)
            test_fail(__FILE__, __LINE__, "\"%s\" gives %" PRIu64, cases[i].text, bytes);
    }
}

TEST(opt_parse_lets_options_follow_operands)
{
    bool json = false;
    const char *out = NULL;
    const struct opt opts[] = {{"json", "", .flag = &json},
                               {"output", "", 'o', "DIR", .text = &out},
                               {0}};
    char verb[] = "report", one[] = "one", flag[] = "--json", letter[] = "-oplace", two[] = "two";
    char *argv[] = {verb, one, flag, letter, two, NULL};

    CHECK_EQ(opt_parse(opts, 5, argv), 3);
    CHECK(json);
    CHECK_TEXT(out, "place");
    CHECK_TEXT(argv[3], "one");
    CHECK_TEXT(argv[4], "two");
}

TEST(opt_parse_before_leaves_the_command_alone)
{
    bool json = false;
    const struct opt opts[] = {{"json", "", .flag = &json}, {0}};
    char verb[] = "run", one[] = "one", flag[] = "--json";
    char *argv[] = {verb, one, flag, NULL};

    CHECK_EQ(opt_parse_before(opts, 3, argv), 1);
    CHECK(!json);
}
