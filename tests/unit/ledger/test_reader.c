/* test_reader.c - every bad ending a ledger can come to. */
#include "base/mem.h"
#include "build_ledger.h"
#include "ledger/model.h"
#include "ledger/reader.h"
#include "test.h"

struct copy {
    uint8_t *bytes; /* owned */
    size_t size;
    struct ledger_header *head; /* into bytes */
};

static struct copy small_copy(void)
{
    struct copy copy;
    struct ledger ledger;

    build_small_process(&ledger, "1.0.tare");
    copy.bytes = build_read(ledger.path, &copy.size);
    copy.head = (struct ledger_header *)(void *)copy.bytes;
    ledger_close(&ledger);
    return copy;
}

static struct section_entry *entry(struct copy *copy, enum section section)
{
    return &copy->head->table[section];
}

/* ---- the table of bad endings ---- */

static void newer(struct copy *c)
{
    c->head->version = LEDGER_VERSION + 1;
}

static void version_zero(struct copy *c)
{
    c->head->version = 0;
}

static void text_mode(struct copy *c)
{
    c->bytes[4] = '\n';
}

static void no_magic(struct copy *c)
{
    memset(c->bytes, 0, 8);
}

static void empty(struct copy *c)
{
    c->size = 0;
}

static void half_a_magic(struct copy *c)
{
    c->size = 4;
}

static void half_a_header(struct copy *c)
{
    c->size = sizeof(struct ledger_header) - 1;
}

static void header_alone(struct copy *c)
{
    c->size = LEDGER_HEADER_SIZE;
}

static void tiny_header_size(struct copy *c)
{
    c->head->header_size = 8;
}

static void strange_role(struct copy *c)
{
    c->head->role = 9;
}

static void wrong_number(struct copy *c)
{
    entry(c, SECTION_sites)->number = SECTION_steps;
}

static void record_size_zero(struct copy *c)
{
    entry(c, SECTION_sites)->record_size = 0;
}

static void record_size_odd(struct copy *c)
{
    entry(c, SECTION_sites)->record_size = 12;
}

static void record_size_huge(struct copy *c)
{
    entry(c, SECTION_sites)->record_size = 0xfffffff8;
}

static void inside_the_header(struct copy *c)
{
    entry(c, SECTION_sites)->offset = 64;
}

static void unaligned(struct copy *c)
{
    entry(c, SECTION_sites)->offset += 4;
}

static void capacity_overflows(struct copy *c)
{
    entry(c, SECTION_sites)->capacity = UINT64_MAX / 8;
}

static void end_overflows(struct copy *c)
{
    entry(c, SECTION_sites)->offset = UINT64_MAX - 7;
}

static void beyond_the_file(struct copy *c)
{
    entry(c, SECTION_sites)->offset = 1ull << 40;
}

static void counts_beyond_capacity(struct copy *c)
{
    for (unsigned n = 0; n < LEDGER_SECTIONS_MAX; n++) {
        struct section_entry *e = entry(c, (enum section)n);

        e->taken = e->used = e->capacity > 0 ? UINT64_MAX : 0;
    }
}

static void many_sections(struct copy *c)
{
    c->head->sections = UINT32_MAX;
}

static const struct {
    void (*spoil)(struct copy *copy);
    int want;
    const char *says;
} endings[] = {
    {newer, ERR_VERSION, "written in ledger version 3; this tare knows versions up to 2: use a newer tare"},
    {version_zero, ERR_FORMAT, "version 0"},
    {text_mode, ERR_FORMAT, "not a ledger"},
    {no_magic, ERR_ABSENT, "not begun"},
    {empty, ERR_TRUNCATED, "empty"},
    {half_a_magic, ERR_TRUNCATED, "cut at byte 4"},
    {half_a_header, ERR_TRUNCATED, "inside the header"},
    {header_alone, 0, ""},
    {tiny_header_size, ERR_FORMAT, "claims 8 bytes"},
    {strange_role, ERR_FORMAT, "role 9"},
    {wrong_number, ERR_FORMAT, "section 4 (sites) calls itself 8"},
    {record_size_zero, ERR_FORMAT, "sites claims records of 0 bytes"},
    {record_size_odd, ERR_FORMAT, "sites claims records of 12 bytes"},
    {record_size_huge, ERR_FORMAT, "sites claims records of 4294967288 bytes"},
    {inside_the_header, ERR_FORMAT, "sites claims to begin at byte 64"},
    {unaligned, ERR_FORMAT, "sites claims to begin"},
    {capacity_overflows, ERR_FORMAT, "sites claims"},
    {end_overflows, ERR_FORMAT, "sites claims"},
    {beyond_the_file, 0, ""},
    {counts_beyond_capacity, 0, ""},
    {many_sections, 0, ""},
};

TEST(reader_survives_every_bad_ending)
{
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        struct copy copy;
        struct model *model = NULL;
        struct reader reader;
        struct why why = {""};
        char path[128];

        (void)snprintf(path, sizeof(path), "%s/1.0.tare", test_directory());
        (void)remove(path);
        copy = small_copy();
        endings[i].spoil(&copy);
        CHECK_EQ(reader_init(&reader, copy.bytes, copy.size, &why), endings[i].want);
        CHECK_CONTAINS(why.text, endings[i].says);
        CHECK_EQ(model_load(&model, copy.bytes, copy.size, &why), endings[i].want);
        CHECK_EQ(model != NULL, endings[i].want == 0);
        model_free(model);
        mem_free(copy.bytes);
    }
}

/* A copy that ends exactly where the cut is, so that the address sanitizer sees one byte too many.
 */
static void check_cut(const struct copy *copy, size_t size)
{
    uint8_t *cut = mem_zalloc(size);
    struct model *model = NULL;
    struct why why = {""};
    int err;

    CHECK(cut);
    memcpy(cut, copy->bytes, size);
    err = model_load(&model, cut, size, &why);
    if (size < LEDGER_HEADER_SIZE) {
        CHECK_EQ(err, ERR_TRUNCATED);
    } else {
        CHECK_EQ(err, 0);
        CHECK(model->cut);
        CHECK(model->step_count <= 40 && model->block_count <= 3);
    }
    model_free(model);
    mem_free(cut);
}

TEST(reader_survives_a_cut_at_every_byte)
{
    struct copy copy = small_copy();

    for (size_t size = 0; size < 2 * LEDGER_HEADER_SIZE; size++)
        check_cut(&copy, size);
    /* A few cuts near the beginning of every section: between records and inside them. */
    for (unsigned n = 1; n < LEDGER_SECTIONS_MAX; n++) {
        const struct section_entry *e = entry(&copy, (enum section)n);

        for (size_t d = 0; d < 4 && e->capacity > 0; d++)
            check_cut(&copy, (size_t)e->offset + d * 29);
    }
    mem_free(copy.bytes);
}

TEST(reader_gives_no_record_that_is_not_there)
{
    struct copy copy = small_copy();
    struct reader reader;
    struct why why = {""};
    struct module_record module;
    uint64_t bytes[40];
    size_t length = 0;

    CHECK_EQ(reader_init(&reader, copy.bytes, copy.size, &why), 0);
    CHECK_EQ(reader_count(&reader, SECTION_modules), 2);
    CHECK(reader_get(&reader, SECTION_modules, 1, &module, sizeof(module)));
    CHECK(!reader_get(&reader, SECTION_modules, 2, &module, sizeof(module)));
    CHECK(!reader_get(&reader, SECTION_modules, UINT64_MAX, &module, sizeof(module)));
    CHECK(!reader_get(&reader, (enum section)LEDGER_SECTIONS_MAX, 0, &module, sizeof(module)));
    CHECK(!reader_get(&reader, SECTION_samples, 0, bytes, sizeof(bytes))); /* of the other role */
    CHECK(!reader_get_keyed(&reader, SECTION_sites, 0, bytes, sizeof(bytes)));
    memset(bytes, 0xff, sizeof(bytes));
    CHECK(reader_get_keyed(&reader, SECTION_sites, 2, bytes, sizeof(bytes)));
    CHECK_EQ(bytes[0], 7u << 16 | 3u << 8 | SITE_HEAP);
    CHECK_EQ(bytes[39], 0); /* what the ledger's shorter record lacks */
    CHECK(!reader_string(&reader, 0, &length));
    CHECK(!reader_string(&reader, UINT32_MAX, &length));
    CHECK(memcmp(reader_string(&reader, copy.head->program, &length), "/usr/bin/train", 14) == 0);
    CHECK_EQ(length, 14);
    mem_free(copy.bytes);
}

TEST(reader_believes_no_forged_text)
{
    struct copy copy = small_copy();
    struct reader reader;
    struct model *model = NULL;
    struct why why = {""};
    size_t length;
    const uint32_t huge = UINT32_MAX;

    memcpy(copy.bytes + entry(&copy, SECTION_strings)->offset, &huge, sizeof(huge));
    CHECK_EQ(reader_init(&reader, copy.bytes, copy.size, &why), 0);
    CHECK(!reader_string(&reader, 1, &length));
    CHECK_EQ(model_load(&model, copy.bytes, copy.size, &why), 0);
    CHECK_TEXT(model->program, "");
    model_free(model);
    mem_free(copy.bytes);
}

TEST(reader_reads_longer_records_of_a_newer_tare)
{
    struct copy copy = small_copy();
    struct section_entry *notes = entry(&copy, SECTION_notes);
    struct reader reader;
    struct note_record note;
    struct why why = {""};

    notes->record_size += 16;
    notes->used = 2;
    memset(copy.bytes + notes->offset + notes->record_size, 0x11, sizeof(note));
    CHECK_EQ(reader_init(&reader, copy.bytes, copy.size, &why), 0);
    CHECK(reader_get(&reader, SECTION_notes, 1, &note, sizeof(note)));
    CHECK_EQ(note.ordinal, 0x1111111111111111);
    mem_free(copy.bytes);
}
