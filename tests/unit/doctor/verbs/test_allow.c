/* test_allow.c - suppressions: the pattern, the file. */
#include <string.h>

#include "base/arena.h"
#include "doctor/verbs/allow.h"
#include "doctor/facts/diagnosis.h"
#include "test.h"

TEST(allow_fits_as_the_sanitizer_does)
{
    static const struct {
        const char *pattern, *text;
        bool want;
    } cases[] = {
        {"forward", "forward", true},
        {"forward", "model_forward_pass", true},
        {"^forward", "forward_pass", true},
        {"^forward", "my_forward", false},
        {"pass$", "forward_pass", true},
        {"pass$", "forward_passes", false},
        {"^a*z$", "abcz", true},
        {"^a*z$", "abczy", false},
        {"a*c*e", "xxabcdexx", true},
        {"a*e*c$", "abcdec", true},
        {"^a*b*c$", "abcabc", true},
        {"^a*b$", "ab ab", true},
        {"*", "", true},
        {"", "anything", true},
        {"x", "", false},
        {"^$", "", true},
        {"^$", "x", false},
        {"a$", "aa", true},
        {"a*a$", "aba", true},
        {"a*a$", "ab", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (allow_fits(cases[i].pattern, cases[i].text) != cases[i].want)
            test_fail(__FILE__, __LINE__, "\"%s\" and \"%s\"", cases[i].pattern, cases[i].text);
}

TEST(allow_keeps_reasons_and_lines)
{
    static const char text[] = "# Kept by\n#   the driver.\nleak:one\nleak:two\r\n\nleak:three\n"
                               "# Another.\nleak:four\n# Not of the fifth.\n\nleak:five";
    static const struct {
        const char *pattern, *reason;
        unsigned line;
    } want[] = {{"one", "Kept by the driver.", 3},
                {"two", "Kept by the driver.", 4},
                {"three", NULL, 6},
                {"four", "Another.", 8},
                {"five", NULL, 11}};
    struct arena *arena = arena_new();
    struct allow allow;
    struct why why = {""};

    CHECK_EQ(allow_parse(&allow, "file", text, sizeof(text) - 1, arena, &why), 0);
    CHECK_EQ(allow.count, 5);
    for (size_t i = 0; i < allow.count; i++) {
        CHECK_TEXT(allow.rules[i].pattern, want[i].pattern);
        CHECK_TEXT(allow.rules[i].reason ? allow.rules[i].reason : "",
                   want[i].reason ? want[i].reason : "");
        CHECK_EQ(allow.rules[i].line, want[i].line);
    }
    arena_free(arena);
}

TEST(allow_refuses_what_is_no_suppression)
{
    static const char *const bad[] = {"race:one", "leak:", "leak", "forward", "leak:ok\nthread:x"};
    struct arena *arena = arena_new();
    struct allow allow;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct why why = {""};

        CHECK_EQ(allow_parse(&allow, "file", bad[i], strlen(bad[i]), arena, &why), ERR_USAGE);
        CHECK(strncmp(why.text, i == 4 ? "file:2: " : "file:1: ", 8) == 0);
    }
    arena_free(arena);
}

TEST(allow_counts_what_it_allowed)
{
    static const char text[] = "leak:libdriver\nleak:append$";
    const struct place frames[] = {{.function = "make", .file = "a.c"},
                                   {.function = "main", .module = "libdriver.so.1"}};
    const struct place stored = {.function = "list_append"};
    const struct finding first = {.allocated_at = frames, .allocated_count = 2};
    const struct finding second = {
        .allocated_at = frames, .allocated_count = 1, .stored_at = &stored};
    const struct finding third = {.allocated_at = frames, .allocated_count = 1};
    struct arena *arena = arena_new();
    struct allow allow;
    struct why why = {""};

    CHECK_EQ(allow_parse(&allow, "file", text, sizeof(text) - 1, arena, &why), 0);
    CHECK(allow_find(&allow, &first) == &allow.rules[0]);
    CHECK(allow_find(&allow, &second) == &allow.rules[1]);
    CHECK(allow_find(&allow, &third) == NULL);
    CHECK(allow_find(NULL, &first) == NULL);
    CHECK_EQ(allow.rules[0].used, 1);
    CHECK_EQ(allow.rules[1].used, 1);
    arena_free(arena);
}
