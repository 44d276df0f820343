/* test_eh_frame.c - unwind tables made by hand, good and hostile, and the cache of their rows. */
#include <stdlib.h>

#include "probe/unwind/eh_frame_pure.h"
#include "probe/unwind/row_cache_pure.h"
#include "test.h"

#define TEXT_AT 0x400000 /* stands for the code the tables speak of; look_up moves it near them */
#define TEXT_SIZE 0x100

/* A whole table: header, search table, CIE, FDE. The bytes are at the end of a block of exactly
 * their size, so that a sanitizer sees a read too far. */
struct table {
    uint8_t bytes[512];
    size_t size;
    size_t fde, cie, letters, program;
};

static const uint8_t good_header[] = {1, 0xff, 0x03, 0x3b, 1, 0, 0, 0};
static uintptr_t allowed_low, allowed_high;

static bool strict_copy(void *to, uintptr_t from, size_t size)
{
    CHECK(from >= allowed_low && from <= allowed_high && size <= allowed_high - from);
    memcpy(to, (const void *)from, size);
    return true;
}

static void put(struct table *table, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        table->bytes[table->size++] = (uint8_t)(number >> (8 * i));
}

static void put_at(struct table *table, size_t at, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        table->bytes[at + i] = (uint8_t)(number >> (8 * i));
}

static void put_all(struct table *table, const uint8_t *bytes, size_t size)
{
    memcpy(table->bytes + table->size, bytes, size);
    table->size += size;
}

/* Addresses are left to settle(). */
static void build(struct table *table, const char *letters, const uint8_t *program, size_t size)
{
    memset(table, 0, sizeof(*table));
    put_all(table, good_header, sizeof(good_header));
    put(table, 0, 8); /* the one entry */
    table->cie = table->size;
    put(table, 0, 4);
    put(table, 0, 4);
    put(table, 1, 1);
    table->letters = table->size;
    put_all(table, (const uint8_t *)letters, strlen(letters) + 1);
    put_all(table, (const uint8_t[]){1, 0x78, 16}, 3);
    if (letters[0] == 'z')
        put_all(table, (const uint8_t[]){1, 0x00}, 2); /* R: absolute, 8 bytes */
    put_all(table, (const uint8_t[]){0x0c, 7, 8, 0x90, 1}, 5); /* CFA = rsp + 8; ra at CFA - 8 */
    put_at(table, table->cie, table->size - table->cie - 4, 4);
    table->fde = table->size;
    put(table, 0, 4);
    put(table, table->size - table->cie, 4);
    put(table, TEXT_AT, 8);
    put(table, TEXT_SIZE, 8);
    if (letters[0] == 'z')
        put(table, 0, 1);
    table->program = table->size;
    put_all(table, program, size);
    put_at(table, table->fde, table->size - table->fde - 4, 4);
}

/* Fills in what depends on where the table lies. */
static void settle(const struct table *table, uint8_t *block, size_t size, uintptr_t text)
{
    const uint32_t entry[] = {(uint32_t)(text - (uintptr_t)block), (uint32_t)table->fde};

    if (size >= 16)
        memcpy(block + 8, entry, 8);
    if (size >= table->fde + 16)
        memcpy(block + table->fde + 8, &text, 8);
}

/* Looks an address up in the first `size` bytes of the table, by itself and by the header. */
static enum eh_found look_up(const struct table *table, size_t size, uintptr_t pc,
                             struct eh_row *row)
{
    uint8_t *block = malloc(size ? size : 1);
    const uintptr_t at = (uintptr_t)block, text = (at + 0x10000) & ~(uintptr_t)0xff;
    const struct eh_memory memory = {.low = at, .high = at + size, .copy = strict_copy};
    enum eh_found found, by_header;

    CHECK(block);
    memcpy(block, table->bytes, size);
    settle(table, block, size, text);
    allowed_low = memory.low;
    allowed_high = memory.high;
    by_header = eh_frame_find(&memory, at, pc - TEXT_AT + text, row);
    found = eh_frame_run(&memory, at + table->fde, pc - TEXT_AT + text, row);
    if (size >= 16 && memcmp(block, good_header, sizeof(good_header)) == 0)
        CHECK_EQ(by_header, found);
    free(block);
    return found;
}

#define BUILD(table, letters, ...)                                                               \
    build(table, letters, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void check_row(const struct table *table, uintptr_t pc, struct eh_row want)
{
    struct eh_row row = {0};

    CHECK_EQ(look_up(table, table->size, pc, &row), EH_ROW);
    CHECK_EQ(row.cfa, want.cfa);
    CHECK_EQ(row.cfa_offset, want.cfa_offset);
    CHECK_EQ(row.bp, want.bp);
    if (want.bp == EH_BP_AT_CFA || want.bp == EH_BP_AT_BP)
        CHECK_EQ(row.bp_offset, want.bp_offset);
}

TEST(eh_frame_follows_a_frame_being_built)
{
    struct table table;
    static const struct eh_row at_entry = {EH_CFA_SP, EH_BP_SAME, 8, 0};
    static const struct eh_row pushed = {EH_CFA_SP, EH_BP_AT_CFA, 16, -16};
    static const struct eh_row framed = {EH_CFA_BP, EH_BP_AT_CFA, 16, -16};

    /* push rbp at 0, mov rbp,rsp at 1, leave at 0x7f, and the other way out from 0x81 */
    BUILD(&table, "zR", 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x7b, 0x0a, 0x0c, 7, 8, 0xc6,
          0x41, 0x0b);
    check_row(&table, TEXT_AT, at_entry);
    check_row(&table, TEXT_AT + 1, pushed);
    check_row(&table, TEXT_AT + 3, pushed);
    check_row(&table, TEXT_AT + 4, framed);
    check_row(&table, TEXT_AT + 0x7e, framed);
    check_row(&table, TEXT_AT + 0x7f, at_entry);
    check_row(&table, TEXT_AT + 0x80, framed);
    check_row(&table, TEXT_AT + TEXT_SIZE - 1, framed);
    CHECK_EQ(look_up(&table, table.size, TEXT_AT + TEXT_SIZE, &(struct eh_row){0}), EH_NONE);
    CHECK_EQ(look_up(&table, table.size, TEXT_AT - 1, &(struct eh_row){0}), EH_NONE);
}

TEST(eh_frame_knows_wide_and_rare_instructions)
{
    struct table table;

    BUILD(&table, "zR", 0x03, 0x10, 0x00, 0x0e, 0x90, 0x80, 0x08, 0x05, 6, 0x80, 0x01, 0x04, 0x10, 0,
          0, 0, 0x12, 7, 0x7e, 0x11, 6, 0x7f, 0x2e, 0x20, 0x2f, 6, 3);
    check_row(&table, TEXT_AT + 0x10, (struct eh_row){EH_CFA_SP, EH_BP_AT_CFA, 0x20010, -1024});
    check_row(&table, TEXT_AT + 0x20, (struct eh_row){EH_CFA_SP, EH_BP_AT_CFA, 16, 24});
    BUILD(&table, "", 0x13, 0x7d, 0x07, 6); /* an old CIE without augmentation */
    check_row(&table, TEXT_AT, (struct eh_row){EH_CFA_SP, EH_BP_LOST, 24, 0});
}

TEST(eh_frame_knows_the_expressions_of_compilers_and_linkers)
{
    struct table table;

    /* gcc, a stack realigned: CFA = *(rbp - 8), rbp saved where it points */
    BUILD(&table, "zR", 0x10, 6, 2, 0x76, 0, 0x0f, 3, 0x76, 0x78, 0x06);
    check_row(&table, TEXT_AT, (struct eh_row){EH_CFA_AT_BP, EH_BP_AT_BP, -8, 0});
    /* a linkage table: rsp + 8, and 8 more from the 11th byte of an entry */
    BUILD(&table, "zR", 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22);
    check_row(&table, TEXT_AT + 0x1a, (struct eh_row){EH_CFA_SP, EH_BP_SAME, 8, 0});
    check_row(&table, TEXT_AT + 0x1b, (struct eh_row){EH_CFA_SP, EH_BP_SAME, 16, 0});
    BUILD(&table, "zR", 0x0f, 3, 0x76, 0x90, 0x01);
    check_row(&table, TEXT_AT, (struct eh_row){EH_CFA_BP, EH_BP_SAME, 144, 0});
    BUILD(&table, "zR", 0x0f, 3, 0x73, 0x78, 0x06); /* rbx is not followed */
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &(struct eh_row){0}), EH_UNUSABLE);
}

TEST(eh_frame_tells_ends_from_rows)
{
    struct table table;
    struct eh_row row;

    BUILD(&table, "zR", 0x07, 16);
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_OUTERMOST);
    BUILD(&table, "zRS", 0x00);
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_SIGNAL);
    BUILD(&table, "zR", 0x09, 16, 5); /* the return address is in a register */
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
    BUILD(&table, "zR", 0x0d, 3); /* the CFA is counted from rbx */
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
    BUILD(&table, "zR", 0x0b); /* recalls what was never remembered */
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
    BUILD(&table, "zR", 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a);
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
    BUILD(&table, "zR", 0x3f); /* no such instruction */
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
    BUILD(&table, "zR", 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
    BUILD(&table, "zR", 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01); /* does not fit a row */
    CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
}

TEST(eh_frame_refuses_strange_common_entries)
{
    static const struct {
        const char *letters;
        size_t at; /* from the letters */
        uint8_t byte;
    } cases[] = {
        {"eh", 0, 'e'},     /* the augmentation of gcc 2 */
        {"zR", (size_t)-1, 2}, /* version */
        {"zR", 3, 0x81},    /* a code factor that eats its neighbours: the return column is wrong */
        {"zR", 5, 17},      /* another return column */
        {"zR", 7, 0x1d},    /* an encoding that does not exist */
        {"zR", 7, 0x50},    /* aligned */
        {"zR", 7, 0x9b},    /* indirect */
        {"zR", 6, 0x7f},    /* an augmentation longer than its entry */
        {"zRzzzzzzzzzzzz", 0, 'z'},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct table table;
        struct eh_row row;

        BUILD(&table, cases[i].letters, 0x00);
        table.bytes[table.letters + cases[i].at] = cases[i].byte;
        CHECK_EQ(look_up(&table, table.size, TEXT_AT, &row), EH_UNUSABLE);
    }
}

TEST(eh_frame_survives_every_bad_ending)
{
    struct table table;
    struct eh_row row;

    BUILD(&table, "zR", 0x41, 0x0e, 16, 0x86, 2, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0);
    CHECK_EQ(look_up(&table, table.size, TEXT_AT + 1, &row), EH_ROW);
    for (size_t size = 0; size < table.size; size++)
        CHECK_EQ(look_up(&table, size, TEXT_AT + 1, &row), EH_UNUSABLE);
    for (size_t cut = table.program; cut < table.size; cut++) { /* the entry ends, not the table */
        struct table shorter = table;

        put_at(&shorter, shorter.fde, cut - shorter.fde - 4, 4);
        (void)look_up(&shorter, shorter.size, TEXT_AT + 1, &row);
    }
}

TEST(eh_frame_survives_any_bytes)
{
    uint64_t state = 0x2545f4914f6cdd1d;
    struct eh_row row;

    for (unsigned round = 0; round < 300000; round++) {
        struct table table;

        BUILD(&table, "zR", 0x41, 0x0e, 16, 0x86, 2, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0,
              0x41, 0x0a, 0x0b, 0x41, 0x0f, 3, 0x76, 0x78, 0x06, 0x0c, 7, 8);
        for (unsigned i = 0; i < 1 + round % 5; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            table.bytes[(state >> 33) % table.size] = (uint8_t)(state >> 24);
        }
        (void)look_up(&table, table.size, TEXT_AT + round % 8, &row);
    }
}

/* The header alone: its table is searched without running what it points to. */
TEST(eh_frame_searches_only_tables_it_can_read)
{
    enum { ENTRIES = 100 };
    struct {
        uint8_t version, frame, count_encoding, table_encoding;
        uint32_t count;
        int32_t entries[ENTRIES][2];
    } header = {1, 0xff, 0x03, 0x3b, ENTRIES, {{0}}};
    const uintptr_t at = (uintptr_t)&header;
    const struct eh_memory memory = {at, at + sizeof(header), strict_copy};

    allowed_low = memory.low;
    allowed_high = memory.high;
    for (int i = 0; i < ENTRIES; i++) {
        header.entries[i][0] = 0x10000 + i * 16;
        header.entries[i][1] = 0x1000 + i;
    }
    CHECK_EQ(eh_frame_search(&memory, at, at + 0x10000 - 1), 0);
    for (uintptr_t i = 0; i < ENTRIES; i++) {
        CHECK_EQ(eh_frame_search(&memory, at, at + 0x10000 + i * 16), at + 0x1000 + i);
        CHECK_EQ(eh_frame_search(&memory, at, at + 0x10000 + i * 16 + 15), at + 0x1000 + i);
    }
    header.count = ENTRIES + 1;
    CHECK_EQ(eh_frame_search(&memory, at, at + 0x10010), 0);
    header.count = 0;
    CHECK_EQ(eh_frame_search(&memory, at, at + 0x10010), 0);
    header.count = ENTRIES;
    header.version = 2;
    CHECK_EQ(eh_frame_search(&memory, at, at + 0x10010), 0);
    header.version = 1;
    header.table_encoding = 0x1b;
    CHECK_EQ(eh_frame_search(&memory, at, at + 0x10010), 0);
    header.table_encoding = 0x3b;
    CHECK_EQ(eh_frame_search(&memory, at - 1, at + 0x10010), 0);
    CHECK_EQ(eh_frame_search(&memory, memory.high - 3, at + 0x10010), 0);
}

/* ---- the cache ---- */

static struct row_cache cache;

TEST(row_cache_gives_back_what_was_put)
{
    const struct row rows[] = {
        {.kind = ROW_TABLE_SP, .bp = EH_BP_SAME, .cfa_offset = 8, .module = 1},
        {.kind = ROW_TABLE_BP, .bp = EH_BP_AT_CFA, .cfa_offset = 16, .bp_offset = -16, .module = 4095},
        {.kind = ROW_TABLE_AT_BP, .bp = EH_BP_AT_BP, .cfa_offset = -8, .bp_offset = 0},
        {.kind = ROW_TABLE_SP, .bp = EH_BP_AT_CFA, .cfa_offset = 8 * 524287, .bp_offset = -8 * 4096},
        {.kind = ROW_TABLE_SP, .bp = EH_BP_LOST, .cfa_offset = -8 * 524288, .bp_offset = 8 * 4095},
        {.kind = ROW_SIGNAL},
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uintptr_t pc = 0x7fffdeadbee0 + i * 977;
        struct row row;

        CHECK_EQ(row_cache_get(&cache, pc, 20), 0);
        row_cache_put(&cache, pc, &rows[i], 20);
        row = row_unpack(row_cache_get(&cache, pc, 20));
        CHECK_EQ(row.kind, rows[i].kind);
        CHECK_EQ(row.bp, rows[i].bp);
        CHECK_EQ(row.cfa_offset, rows[i].cfa_offset);
        CHECK_EQ(row.bp_offset, rows[i].bp_offset);
        CHECK_EQ(row.module, rows[i].module);
        CHECK_EQ(row_cache_get(&cache, pc, 21), 0);
        CHECK_EQ(row_cache_get(&cache, pc + 1, 20), 0);
    }
    row_cache_clear(&cache);
    CHECK_EQ(row_cache_get(&cache, 0x7fffdeadbee0, 20), 0);
}

TEST(row_cache_refuses_what_does_not_fit)
{
    const struct row odd = {.kind = ROW_TABLE_SP, .cfa_offset = 12};
    const struct row large = {.kind = ROW_TABLE_SP, .cfa_offset = 8 * 524288};
    const struct row far = {.kind = ROW_TABLE_SP, .cfa_offset = 8, .bp_offset = 8 * 4096};
    const struct row module = {.kind = ROW_TABLE_SP, .cfa_offset = 8, .module = ROW_MODULES};

    CHECK_EQ(row_pack(&odd, 1), 0);
    CHECK_EQ(row_pack(&large, 1), 0);
    CHECK_EQ(row_pack(&far, 1), 0);
    CHECK_EQ(row_pack(&module, 1), 0);
}

TEST(row_cache_sees_a_torn_slot)
{
    const struct row a = {.kind = ROW_TABLE_SP, .cfa_offset = 8};
    const struct row b = {.kind = ROW_TABLE_BP, .cfa_offset = 16};
    const uintptr_t pc = 0x401234;
    struct row_slot *slot = row_cache_set(&cache, pc);

    row_cache_put(&cache, pc, &a, 1);
    CHECK(row_cache_get(&cache, pc, 1) != 0);
    slot->value = row_pack(&b, 1);
    CHECK_EQ(row_cache_get(&cache, pc, 1), 0);
}

TEST(row_cache_keeps_four_that_meet)
{
    const struct row row = {.kind = ROW_TABLE_SP, .cfa_offset = 8};
    const struct row_slot *home = row_cache_set(&cache, 0x400000);
    uintptr_t met[8], pc = 0x400000;
    unsigned kept = 0;

    for (unsigned i = 0; i < 8; pc++)
        if (row_cache_set(&cache, pc) == home)
            met[i++] = pc;
    for (unsigned i = 0; i < 8; i++) {
        row_cache_put(&cache, met[i], &row, 3);
        CHECK(row_cache_get(&cache, met[i], 3) != 0);
        if (i == 3)
            for (unsigned j = 0; j < 4; j++)
                CHECK(row_cache_get(&cache, met[j], 3) != 0);
    }
    for (unsigned i = 0; i < 8; i++)
        kept += row_cache_get(&cache, met[i], 3) != 0;
    CHECK_EQ(kept, 4);
}
