/* test_text.c - growing text, sizes, and hostile text. */
#include "base/mem.h"
#include "base/text.h"
#include "test.h"

TEST(text_sizes_have_three_digits_at_most)
{
    static const struct {
        uint64_t bytes;
        const char *want;
    } cases[] = {
        {0, "0 B"},
        {999, "999 B"},
        {1000, "1.0 KB"},
        {1536, "1.5 KB"},
        {12800, "12.5 KB"},
        {102300, "99.9 KB"},
        {1023 * 1024, "1.0 MB"},
        {1048576, "1.0 MB"},
        {123ull << 20, "123 MB"},
        {5ull << 30, "5.0 GB"},
        {UINT64_MAX, "16.0 EB"},
    };
    char out[TEXT_SIZE_MAX];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_TEXT(text_size(out, cases[i].bytes), cases[i].want);
    CHECK_TEXT(text_size_signed(out, -2048), "-2.0 KB");
}

TEST(text_counts_have_commas)
{
    char out[TEXT_SIZE_MAX];

    CHECK_TEXT(text_count(out, 0), "0");
    CHECK_TEXT(text_count(out, 999), "999");
    CHECK_TEXT(text_count(out, 1000), "1,000");
    CHECK_TEXT(text_count(out, 123456), "123,456");
    CHECK_TEXT(text_count(out, UINT64_MAX), "18,446,744,073,709,551,615");
}

struct hostile {
    const char *from;
    size_t length;
    const char *json, *safe;
};

static const struct hostile hostile[] = {
    {"plain", 5, "\"plain\"", "plain"},
    {"a\"b\\c", 5, "\"a\\\"b\\\\c\"", "a\"b\\c"},
    {"\n\t\r", 3, "\"\\n\\t\\r\"", "\\n\\t\\x0d"},
    {"\033[31mred", 8, "\"\\u001b[31mred\"", "\\x1b[31mred"},
    {"a\0b", 3, "\"a\\u0000b\"", "a\\x00b"},
    {"\177", 1, "\"\\u007f\"", "\\x7f"},
    {"\303\251", 2, "\"\303\251\"", "\303\251"}, /* e acute */
    {"\360\237\230\200", 4, "\"\360\237\230\200\"", "\360\237\230\200"},
    {"\303", 1, "\"\357\277\275\"", "\\xc3"},                      /* cut off */
    {"\300\200", 2, "\"\357\277\275\357\277\275\"", "\\xc0\\x80"}, /* overlong */
    {"\355\240\200", 3, "\"\357\277\275\357\277\275\357\277\275\"", "\\xed\\xa0\\x80"},
    {"\364\220\200\200", 4, "\"\357\277\275\357\277\275\357\277\275\357\277\275\"",
     "\\xf4\\x90\\x80\\x80"},
    {"\342\200\256", 3, "\"\\u202e\"", "\\u{202e}"},           /* written from right to left */
    {"\302\233", 2, "\"\\u009b\"", "\\u{9b}"},                 /* a terminal's other escape */
    {"\342\200\250", 3, "\"\\u2028\"", "\\u{2028}"},
    {"\363\240\200\201", 4, "\"\\udb40\\udc01\"", "\\u{e0001}"}, /* a tag, without width */
};

TEST(text_makes_hostile_bytes_harmless)
{
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        struct text json = {0}, safe = {0};

        text_json(&json, hostile[i].from, hostile[i].length);
        text_safe(&safe, hostile[i].from, hostile[i].length);
        CHECK_TEXT(text_string(&json), hostile[i].json);
        CHECK_TEXT(text_string(&safe), hostile[i].safe);
        text_free(&json);
        text_free(&safe);
    }
}

TEST(text_grows_and_says_once_that_it_failed)
{
    struct text text = {0};

    CHECK_TEXT(text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        text_print(&text, "%d,", i % 10);
    CHECK_EQ(text.length, 2000);
    CHECK_EQ(strlen(text_string(&text)), 2000);
    mem_fail_at(1);
    for (int i = 0; i < 5000; i++)
        text_put(&text, "x");
    mem_fail_at(0);
    CHECK(text.failed);
    CHECK_EQ(text.length, 2047);
    text_put(&text, "never");
    CHECK_EQ(strlen(text_string(&text)), 2047);
    text_free(&text);
}

TEST(text_compares_data)
{
    CHECK(text_is("dict", "dict") && !text_is("dicts", "dict") && !text_is(NULL, "dict"));
    CHECK(text_begins("file:///a", "file://") && !text_begins("file:/a", "file://"));
    CHECK(!text_begins(NULL, "a") && !text_ends(NULL, ""));
    CHECK(text_ends("a.py", ".py") && text_ends(".py", ".py") && !text_ends("py", ".py"));
    CHECK(text_has("libcuda.so.1", "cuda") && !text_has("libcud", "cuda") && !text_has(NULL, "a"));
    CHECK(text_same(NULL, NULL) && text_same("a", "a") && !text_same("a", NULL) && !text_same(NULL, "a"));
    CHECK_TEXT(text_base_name("/a/b.c"), "b.c");
    CHECK_TEXT(text_base_name("b.c"), "b.c");
    CHECK(!text_base_name(NULL));
}

TEST(text_encodes_what_it_decodes)
{
    static const uint32_t characters[] = {1,      0x7f,   0x80,   0x7ff,   0x800,
                                          0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    static const uint32_t none[] = {0, 0xd800, 0xdfff, 0x110000, UINT32_MAX};
    char bytes[TEXT_CHARACTER_MAX];
    uint32_t character;

    for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++) {
        const size_t size = text_encode(bytes, characters[i]);

        CHECK_EQ(text_character(bytes, size, &character), size);
        CHECK_EQ(character, characters[i]);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        CHECK_EQ(text_encode(bytes, none[i]), 3);
        CHECK(memcmp(bytes, "\xef\xbf\xbd", 3) == 0);
    }
}

TEST(text_decodes_urls_in_place)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        {"", ""},
        {"/a/b.ts", "/a/b.ts"},
        {"two%20words%2F", "two words/"},
        {"%c3%A4", "\xc3\xa4"},
        {"%00%0", "%00%0"}, /* no text may hold a 0; the second is cut */
        {"%", "%"},
        {"%g1%1g%+1", "%g1%1g%+1"},
    };
    char url[32];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(url, sizeof(url), "%s", cases[i].url);
        text_decode_url(url);
        CHECK_TEXT(url, cases[i].want);
    }
    CHECK_EQ(text_hex_digit('7'), 7);
    CHECK_EQ(text_hex_digit('f'), 15);
    CHECK_EQ(text_hex_digit('A'), 10);
    CHECK_EQ(text_hex_digit('g'), -1);
    CHECK_EQ(text_hex_digit(-1), -1); /* the end of a document */
}
