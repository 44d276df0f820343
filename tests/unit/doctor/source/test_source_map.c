/* Source maps: small ones made by hand and by compilers, bad ones, and where scripts name them. */
#include <stdlib.h>

#include "base/mem.h"
#include "doctor/source/source_map.h"
#include "test.h"

static struct source_map *load(const char *text)
{
    struct source_map *map = NULL;
    struct why why = {""};
    const int err = source_map_new(&map, text, strlen(text), &why);

    CHECK((err == 0) == (map != NULL) && (err == 0 || why.text[0]));
    return map;
}

/* "source:line", or "-". */
static const char *at(const struct source_map *map, unsigned line, unsigned column)
{
    static char out[64];
    struct source_position found;

    if (!source_map_find(map, line, column, &found))
        return "-";
    (void)snprintf(out, sizeof(out), "%zu:%u", found.source, found.line);
    return out;
}

/* Line 1: column 0 is a.ts:1, 8 is a.ts:3. Line 2: nothing. Line 3: column 4 is b.ts:10; 9 has no source. */
static const char small[] =
    "{\"version\":3,\"file\":\"x.js\",\"sourceRoot\":\"src\",\"names\":[\"n\",[1,{\"a\":\"]\"}]],"
    "\"sources\":[\"a.ts\",\"b\\u0020\\\"b\\\".ts\"],\"sourcesContent\":[null,\"one\\ntwo\\u00e4\"],"
    "\"mappings\":\"AAAA,QAEA;;ICOA,K\"}";

TEST(source_map_gives_the_last_mapping_before_a_column)
{
    struct source_map *map = load(small);

    CHECK(map != NULL);
    CHECK_TEXT(at(map, 1, 1), "0:1");
    CHECK_TEXT(at(map, 1, 8), "0:1");
    CHECK_TEXT(at(map, 1, 9), "0:3");
    CHECK_TEXT(at(map, 1, 4000), "0:3");
    CHECK_TEXT(at(map, 2, 1), "-");
    CHECK_TEXT(at(map, 3, 1), "1:10"); /* before the first: the first */
    CHECK_TEXT(at(map, 3, 0), "1:10");
    CHECK_TEXT(at(map, 3, 5), "1:10");
    CHECK_TEXT(at(map, 3, 10), "-");
    CHECK_TEXT(at(map, 4, 1), "-");
    CHECK_TEXT(at(map, 0, 1), "-");
    CHECK_TEXT(at(map, 4000000000u, 4000000000u), "-");
    source_map_free(map);
}

TEST(source_map_tells_names_and_texts)
{
    struct source_map *map = load(small);
    struct text name = {0}, text = {0}, none = {0};

    CHECK(source_map_count(map) == 2);
    CHECK(source_map_name(map, 1, &name) && source_map_text(map, 1, &text));
    CHECK_TEXT(text_string(&name), "src/b \"b\".ts");
    CHECK_TEXT(text_string(&text), "one\ntwo\xc3\xa4");
    CHECK(!source_map_text(map, 0, &none) && !source_map_name(map, 2, &none));
    text_free(&name);
    text_free(&text);
    source_map_free(map);
}

/* 2,000 mappings on one line and then 2,000 lines: each at column 8 * i, of source line i. */
TEST(source_map_finds_its_way_in_long_lines)
{
    struct text document = {0};
    struct source_map *map;
    char want[32];

    text_put(&document, "{\"sources\":[\"a\"],\"mappings\":\"AAAA");
    for (int i = 1; i < 2000; i++)
        text_put(&document, ",QACA");
    for (int i = 0; i < 2000; i++)
        text_put(&document, ";AACA");
    text_put(&document, "\"}");
    map = load(text_string(&document));
    CHECK(map != NULL);
    for (unsigned i = 0; i < 2000; i++) {
        (void)snprintf(want, sizeof(want), "0:%u", i + 1);
        CHECK_TEXT(at(map, 1, 8 * i + 1 + i % 8), want);
        (void)snprintf(want, sizeof(want), "0:%u", i + 2001);
        CHECK_TEXT(at(map, i + 2, i % 2), want);
    }
    CHECK_TEXT(at(map, 1, 0), "-"); /* many lines in one, and no column: not to be told */
    source_map_free(map);
    text_free(&document);
}

TEST(source_map_refuses_what_is_none)
{
    static const char *const bad[] = {
        "", "[]", "{", "{}", "null", "{\"mappings\":\"AAAA\"}", "{\"sources\":[\"a\"]}",
        "{\"sources\":[\"a\"],\"mappings\":\"A!\"}", "{\"sources\":[\"a\"],\"mappings\":\"AA\"}",
        "{\"sources\":[\"a\"],\"mappings\":\"AAAAAA\"}", "{\"sources\":[\"a\"],\"mappings\":\"D\"}",
        "{\"sources\":[\"a\"],\"mappings\":\"gggggggggggggA\"}",
        "{\"sources\":[\"a\"],\"mappings\":\"AAAA", "{\"sources\":[\"a\",",
        "{\"sources\":[\"a\\", "{\"sections\":[{\"offset\":{\"line\":0}}]}",
        "{\"sources\":[\"a\"],\"mappings\":\"ADAA\"}", "{\"sources\":[\"a\"],\"mappings\":\"AADA\"}",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (load(bad[i]))
            test_fail(__FILE__, __LINE__, "accepted: %s", bad[i]);
}

TEST(source_map_survives_every_bad_ending)
{
    for (size_t i = 0; i < sizeof(small) - 1; i++) {
        char *part = mem_copy_text(small, i); /* its end is an end to the sanitizer, too */
        struct source_map *map = NULL;
        struct why why;

        CHECK(source_map_new(&map, part, i, &why) != 0 && !map);
        mem_free(part);
    }
}

TEST(source_map_gives_up_when_memory_does)
{
    struct source_map *map = NULL;
    struct why why;
    int err = -1;

    for (unsigned long n = 1; err != 0 && n < 100; n++) {
        mem_fail_at(n);
        err = source_map_new(&map, small, sizeof(small) - 1, &why);
        mem_fail_at(0);
        CHECK((err == 0) == (map != NULL));
    }
    CHECK(err == 0);
    source_map_free(map);
}

static bool url_of(const char *script, struct text *out)
{
    const char *url;
    size_t length;

    if (!source_map_url(script, strlen(script), &url, &length))
        return false;
    text_add(out, url, length);
    return true;
}

TEST(source_map_is_named_by_the_last_comment)
{
    struct text url = {0}, none = {0}, map = {0};
    static const char data[] = "data:application/json;charset=utf-8;base64,eyJhIjoxfQ==";

    CHECK(url_of("x\n//# sourceMappingURL=first.map\n//# sourceMappingURL=a%20b.js.map  \n\n", &url));
    CHECK_TEXT(text_string(&url), "a%20b.js.map");
    CHECK(!url_of("x = '# sourceMappingURL=a'", &none) && !url_of("//# sourceMappingURL=", &none));
    CHECK(!url_of("", &none) && !url_of("//# source", &none));
    CHECK(source_map_inline(data, sizeof(data) - 1, &map));
    CHECK_TEXT(text_string(&map), "{\"a\":1}");
    CHECK(!source_map_inline("data:,{}", 8, &none) && !source_map_inline("a.map", 5, &none));
    CHECK(!source_map_inline(",base64,", 8, &none) && !source_map_inline("data:;base64,", 13, &none));
    text_free(&url);
    text_free(&map);
    text_free(&none);
}
