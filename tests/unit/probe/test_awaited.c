/* Who waits for what runs, from the text that V8 prints of a stack. */
#include "probe/js/awaited_pure.h"
#include "test.h"

TEST(awaited_reads_what_v8_prints)
{
    static const char text[] = "createUnsafeBuffer (node:internal/buffer:1063:12)\n"
                               "read (/app/node_modules/lib/index.js:2:50)\n"
                               "async Object.fetch [as get] (/app/node_modules/lib (2)/index.js:3:70)\n"
                               "async Promise.all (index 0)\n"
                               "async /app/main.mjs:9:3\n"
                               "async\nasync \nasync :1:2\nasync a (b:c:1)\nasync x (\n"
                               "async main (file:///app/main.mjs:12:5)";
    const char *at = text, *end = text + sizeof(text) - 1;
    struct awaited one;

    CHECK(awaited_next(&at, end, &one) && one.line == 3 && one.column == 70);
    CHECK(one.name_length == 5 && memcmp(one.name, "fetch", 5) == 0);
    CHECK(one.file_length == 34 && memcmp(one.file, "/app/node_modules/lib (2)/index.js", 34) == 0);
    CHECK(awaited_next(&at, end, &one) && one.line == 9 && one.column == 3 && one.name_length == 0);
    CHECK(awaited_next(&at, end, &one) && one.line == 12 && one.file_length == 20);
    CHECK(!awaited_next(&at, end, &one) && at == end);
}

TEST(awaited_reads_what_node_18_prints)
{
    static const char text[] = "alloc (node:buffer:407:17)read (/lib/index.js:2:57)"
                               "async Object.fetch (/lib/async index.js:3:73)async /app/main.mjs:5:18"
                               "async main (/app/main.js:10:33)";
    const char *at = text, *end = text + sizeof(text) - 1;
    struct awaited one;

    CHECK(awaited_next(&at, end, &one) && one.line == 3 && one.file_length == 19);
    CHECK(awaited_next(&at, end, &one) && one.line == 5 && one.file_length == 13);
    CHECK(awaited_next(&at, end, &one) && one.line == 10 && one.name_length == 4);
    CHECK(!awaited_next(&at, end, &one) && at == end);
}

TEST(awaited_survives_every_ending)
{
    static const char text[] = "async a.b [as c] (/d:99999999999:1)\nasync e (/f:3:4)";

    for (size_t i = 0; i < sizeof(text); i++) {
        const char *at = text, *end = text + i;
        struct awaited one;

        while (awaited_next(&at, end, &one))
            CHECK(one.file >= text && one.file + one.file_length <= end && one.file_length > 0);
        CHECK(at == end);
    }
}
