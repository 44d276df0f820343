/* test_python_lines.c - tables as the interpreters made them, and forged ones.
 *
 * Each table is that of the same function, compiled by CPython 3.9 to 3.13: a list over several lines,
 * an exception table, a jump of 300 lines, instructions that have no line. Beside it what the
 * interpreter itself said of it (co_lines, findlinestarts): from which byte on each line begins.
 */
#include "doctor/source/python_lines.h"
#include "doctor/facts/runtimes.h"
#include "ledger/model.h"
#include "test.h"

struct line_start {
    unsigned offset, line; /* 0: no line */
};

static const uint8_t table_9[] = {
    0, 1, 2, 1, 2, 1, 4, 1, 2, 255, 2, 255, 6, 5, 12, 127, 0, 127, 0, 48, 12, 1, 6, 1, 4, 1, 2,
    255, 6, 2, 6, 1, 44, 1,
};
static const struct line_start lines_9[] = {
    {0, 2}, {2, 3}, {4, 4}, {8, 5}, {10, 4}, {12, 3}, {18, 8}, {30, 310}, {42, 311}, {48, 312},
    {52, 313}, {54, 312}, {60, 314}, {66, 315}, {110, 316}, {114, 0},
};
static const uint8_t table_10[] = {
    2, 128, 2, 1, 2, 1, 4, 1, 2, 1, 2, 255, 6, 255, 12, 5, 0, 127, 0, 127, 12, 48, 6, 1, 4, 1,
    2, 1, 6, 255, 6, 2, 16, 1, 10, 255, 4, 2, 16, 254, 4, 2,
};
static const struct line_start lines_10[] = {
    {0, 0}, {2, 2}, {4, 3}, {6, 4}, {10, 5}, {12, 4}, {14, 3}, {20, 8}, {32, 310}, {44, 311},
    {50, 312}, {54, 313}, {56, 312}, {62, 314}, {68, 315}, {84, 314}, {94, 316}, {98, 314},
    {114, 316}, {118, 0},
};
static const uint8_t table_11[] = {
    248, 232, 0, 232, 0, 128, 0, 240, 2, 6, 5, 14, 216, 13, 14, 216, 13, 14, 144, 17, 216, 17,
    18, 241, 3, 1, 18, 19, 240, 3, 2, 13, 21, 136, 1, 240, 10, 0, 13, 14, 136, 1, 136, 1, 248,
    136, 65, 136, 1, 136, 5, 136, 5, 136, 5, 136, 5, 245, 92, 9, 0, 14, 19, 144, 49, 137, 88,
    140, 88, 240, 0, 3, 5, 17, 240, 0, 3, 5, 17, 136, 1, 216, 11, 12, 136, 14, 136, 104, 221,
    8, 13, 136, 97, 216, 14, 15, 241, 3, 1, 9, 17, 244, 0, 1, 9, 17, 240, 0, 1, 9, 17, 240, 0,
    1, 9, 17, 224, 9, 10, 240, 0, 1, 5, 26, 136, 97, 216, 15, 24, 136, 121, 136, 121, 136, 121,
    208, 8, 25, 208, 8, 25, 208, 8, 25, 240, 3, 1, 5, 26, 240, 0, 1, 5, 26, 240, 0, 1, 5, 26,
    241, 0, 1, 5, 26, 244, 0, 1, 5, 26, 240, 0, 1, 5, 26, 240, 0, 1, 5, 26, 240, 0, 1, 5, 26,
    240, 0, 1, 5, 26, 240, 0, 1, 5, 26, 240, 0, 1, 5, 26, 248, 248, 248, 240, 0, 1, 5, 26, 240,
    0, 1, 5, 26, 240, 0, 1, 5, 26, 240, 0, 1, 5, 26, 224, 11, 12, 128, 72,
};
static const struct line_start lines_11[] = {
    {0, 0}, {2, 1}, {8, 2}, {10, 3}, {12, 4}, {16, 5}, {18, 4}, {22, 3}, {26, 8}, {32, 0},
    {34, 8}, {46, 310}, {80, 311}, {86, 312}, {100, 313}, {102, 312}, {120, 314}, {126, 315},
    {140, 314}, {172, 0}, {178, 314}, {186, 316}, {190, 0},
};
static const uint8_t table_12[] = {
    248, 232, 0, 248, 128, 0, 240, 2, 6, 5, 14, 216, 13, 14, 216, 13, 14, 144, 17, 216, 17, 18,
    241, 3, 1, 18, 19, 240, 3, 2, 13, 21, 136, 1, 240, 10, 0, 13, 14, 136, 1, 244, 92, 9, 0,
    14, 19, 144, 49, 139, 88, 242, 0, 3, 5, 17, 136, 1, 217, 11, 12, 136, 104, 220, 8, 13, 136,
    97, 216, 14, 15, 245, 3, 1, 9, 17, 240, 5, 3, 5, 17, 240, 8, 0, 10, 11, 240, 0, 1, 5, 26,
    136, 97, 219, 15, 24, 210, 8, 25, 247, 3, 1, 5, 26, 224, 11, 12, 128, 72, 248, 240, 105, 9,
    0, 13, 14, 137, 1, 250, 247, 100, 9, 1, 5, 26, 224, 11, 12, 128, 72, 252,
};
static const struct line_start lines_12[] = {
    {0, 0}, {2, 1}, {4, 0}, {6, 1}, {8, 2}, {10, 3}, {12, 4}, {16, 5}, {18, 4}, {22, 3},
    {26, 8}, {30, 310}, {58, 311}, {64, 312}, {76, 313}, {78, 312}, {90, 310}, {92, 314},
    {98, 315}, {112, 314}, {128, 316}, {132, 0}, {134, 8}, {140, 0}, {146, 314}, {162, 316},
    {166, 0}, {176, 0},
};
static const uint8_t table_13[] = {
    248, 233, 0, 128, 0, 240, 2, 6, 5, 14, 216, 13, 14, 216, 13, 14, 216, 17, 18, 241, 3, 1,
    18, 19, 240, 3, 2, 13, 21, 136, 1, 240, 10, 0, 13, 14, 136, 1, 244, 92, 9, 0, 14, 19, 144,
    49, 142, 88, 136, 1, 222, 11, 12, 137, 104, 220, 8, 13, 136, 97, 216, 14, 15, 246, 3, 1, 9,
    17, 241, 5, 0, 14, 22, 241, 8, 0, 10, 11, 136, 97, 220, 15, 24, 210, 8, 25, 247, 3, 0, 10,
    11, 224, 11, 12, 128, 72, 248, 240, 105, 9, 0, 13, 14, 137, 1, 250, 247, 100, 9, 0, 10, 11,
    140, 17, 224, 11, 12, 128, 72, 252,
};
static const struct line_start lines_13[] = {
    {0, 0}, {2, 1}, {8, 2}, {10, 3}, {12, 4}, {14, 5}, {16, 4}, {20, 3}, {24, 8}, {28, 310},
    {56, 311}, {74, 312}, {86, 313}, {88, 312}, {102, 310}, {106, 314}, {112, 315}, {128, 314},
    {144, 316}, {148, 0}, {150, 8}, {156, 0}, {162, 314}, {188, 316}, {192, 0}, {202, 0},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The last entry is where the code ends. */
static void check_table(unsigned minor, const uint8_t *table, size_t size,
                        const struct line_start *lines, size_t count)
{
    const struct model_code code = {.file = "f.py",
                                    .name = "f",
                                    .first_line = 1,
                                    .version = 3u << 24 | minor << 16,
                                    .table = table,
                                    .table_size = size};

    for (size_t i = 0; i + 1 < count; i++)
        for (unsigned offset = lines[i].offset; offset < lines[i + 1].offset; offset += 2)
            CHECK_EQ(python_line(&code, offset), lines[i].line);
    CHECK_EQ(python_line(&code, FRAME_NOT_BEGUN), 1);
    if (minor >= 10)
        CHECK_EQ(python_line(&code, lines[count - 1].offset), 0);
}

TEST(python_lines_are_those_the_interpreter_gives)
{
    check_table(9, table_9, sizeof(table_9), lines_9, COUNT(lines_9));
    check_table(10, table_10, sizeof(table_10), lines_10, COUNT(lines_10));
    check_table(11, table_11, sizeof(table_11), lines_11, COUNT(lines_11));
    check_table(12, table_12, sizeof(table_12), lines_12, COUNT(lines_12));
    check_table(13, table_13, sizeof(table_13), lines_13, COUNT(lines_13));
}

TEST(python_lines_survive_every_table)
{
    uint8_t table[64];
    uint32_t state = 1;

    for (unsigned round = 0; round < 20000; round++) {
        const struct model_code code = {.file = "",
                                        .name = "",
                                        .first_line = round % 3 ? state : 0xffffffffu,
                                        .version = 3u << 24 | (8 + round % 8) << 16,
                                        .table = table,
                                        .table_size = round % (sizeof(table) + 1)};

        for (size_t i = 0; i < sizeof(table); i++) {
            state = state * 1664525 + 1013904223;
            table[i] = (uint8_t)(state >> 24);
        }
        CHECK(python_line(&code, state % 4096) <= INT32_MAX);
        CHECK(python_line(&code, UINT64_MAX) <= INT32_MAX);
    }
}

TEST(python_line_without_a_table_is_the_first)
{
    const struct model_code code = {.file = "", .name = "", .first_line = 7, .version = 0x030b00f0};

    CHECK_EQ(python_line(&code, 12), 7);
}

TEST(runtimes_know_the_python_library)
{
    CHECK(runtimes_python("/usr/lib/python3.11/threading.py"));
    CHECK(runtimes_python("/opt/env/lib64/python3.9/json/decoder.py"));
    CHECK(runtimes_python("/srv/app/.venv/lib/python3.12/site-packages/torch/nn/modules/module.py"));
    CHECK(runtimes_python("/usr/lib/python3/dist-packages/numpy/core/numeric.py"));
    CHECK(runtimes_python("/usr/local/lib/tare/python/tare/_torch.py"));
    CHECK(runtimes_python("<frozen importlib._bootstrap>"));
    CHECK(!runtimes_python("/srv/app/lib/pythonic/train.py"));
    CHECK(!runtimes_python("/srv/app/python3/train.py"));
    CHECK(!runtimes_python("train.py"));
    CHECK(!runtimes_python("<stdin>"));
    CHECK(!runtimes_python("<string>"));
}
