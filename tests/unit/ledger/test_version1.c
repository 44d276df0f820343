/* test_version1.c - a ledger of version 1, as tare wrote it then: tests/ledgers/version1.tare.
 *
 * It was made with the writer of version 1 from what build_small_process says. Besides it has a step 41 with
 * a value for each of the 16 clocks and gauges, two holders, the three kinds of number that an owner could
 * have, an intervention of each kind, and a tensor.
 */
#include "base/mem.h"
#include "base/text.h"
#include "build_ledger.h"
#include "doctor/verbs/strip.h"
#include "ledger/model.h"
#include "test.h"

#define OLD "tests/ledgers/version1.tare"
#define VERSION_AT 8      /* of the header, in bytes */
#define HEADER_SIZE_AT 12
#define TABLE_AT 144      /* of version 1's section table */

static struct model *load(const void *bytes, size_t size)
{
    struct model *model = NULL;
    struct why why = {""};

    if (model_load(&model, bytes, size, &why) != 0)
        test_fail(__FILE__, __LINE__, "model_load: %s", why.text);
    return model;
}

static void check_head(const struct model *m)
{
    CHECK_TEXT(m->program, "/usr/bin/train");
    CHECK_TEXT(m->command, "train --fast");
    CHECK_TEXT(m->allocator, "libc.so.6");
    CHECK_EQ(m->head.pid, 4711);
    CHECK_EQ(m->head.run, 77);
    CHECK_EQ(m->head.inherited, 1);
    CHECK_EQ(m->head.forked_bytes, 4444);
    CHECK_EQ(m->head.watched, 6);
    CHECK_EQ(m->head.rate, 7777);
    CHECK_EQ(m->head.state, STATE_RUNNING);
}

static void check_blocks(const struct model *m)
{
    CHECK_EQ(m->block_count, 3); /* by address */
    CHECK_EQ(m->blocks[0].address, 0x7000);
    CHECK_EQ(m->blocks[0].grown, 0);
    CHECK_EQ(m->blocks[1].address, 0x8000);
    CHECK_EQ(m->blocks[1].grown, 1);
    CHECK_EQ(m->blocks[1].holder, 0);
    CHECK_EQ(m->blocks[2].site, 8);
    CHECK_EQ(m->blocks[2].grown, 0);
    CHECK_EQ(m->blocks[2].holder, TENSOR_VARIABLE);
}

static void check_steps(const struct model *m)
{
    const struct step_record *last = &m->steps[40];

    CHECK_EQ(m->step_count, 41);
    CHECK_EQ(m->steps[6].clock[CLOCK_mark], 7);
    CHECK_EQ(m->steps[6].live_bytes, 7 * 640);
    CHECK_EQ(m->steps[6].class_blocks[3], 70);
    for (unsigned i = 0; i < 14; i++) {
        CHECK_EQ(last->clock[i], 100 + i);
        CHECK_EQ(last->gauges[i], 200 + i);
        CHECK_EQ(m->totals.clock[i], 300 + i);
    }
    CHECK_EQ(last->clock[15], 115);
    CHECK_EQ(last->clock[16], 0);
    CHECK_EQ(last->gauges[GAUGE_device_taken], 4096);
    CHECK_EQ(last->mapped_bytes, 21);
    CHECK_EQ(last->shared_bytes, 22);
    CHECK_EQ(last->resident, 23);
    CHECK_EQ(last->threads, 24);
    CHECK_EQ(last->class_blocks[63], 25);
    CHECK_EQ(last->allocated_bytes, 26);
    CHECK_EQ(last->allocated_blocks, 27);
    CHECK_EQ(last->ticked, 1u << CLOCK_mark);
    CHECK_EQ(last->sampled, 1);
}

static void check_totals(const struct model *m)
{
    CHECK_EQ(m->totals.ordinal, 41);
    CHECK_EQ(m->totals.mapped_bytes, 13);
    CHECK_EQ(m->totals.shared_bytes, 14);
    CHECK_EQ(m->totals.reserved_bytes, 15);
    CHECK_EQ(m->totals.probe_bytes, 16);
    CHECK_EQ(m->totals.pause_ns, 17);
    CHECK_EQ(m->totals.threads_started, 18);
    CHECK_EQ(m->totals.threads_ended, 19);
    CHECK_EQ(m->totals.watched_since[63], 20);
    CHECK_EQ(model_live_blocks(m), 6);
    CHECK_EQ(m->peak.weight, 4900);
    CHECK_EQ(m->device_count, 1);
    CHECK_EQ(m->devices[0].record.kind, DEVICE_GPU);
    CHECK_EQ(m->devices[0].record.used, 3000);
    CHECK_EQ(m->devices[0].record.taken, 4096);
}

static void check_interventions(const struct model *m)
{
    CHECK_EQ(m->intervention_count, 8);
    for (uint32_t kind = INTERVENTION_TRIM; kind <= INTERVENTION_COLLECTOR_ON; kind++) {
        const struct intervention_record *one = &m->interventions[kind];
        const bool worker = kind == INTERVENTION_WORKER;

        CHECK_EQ(one->kind, kind);
        CHECK_EQ(one->ordinal, 10 + kind);
        CHECK_EQ(one->live_before, 70 + kind);
        CHECK_EQ(one->trimmed, kind == INTERVENTION_TRIM ? 1000 + kind : 0);
        CHECK_EQ(one->unreachable, kind == INTERVENTION_COLLECT ? 1000 + kind : 0);
        CHECK_EQ(one->suspected_object, kind == INTERVENTION_SNAPSHOT ? 1000 + kind : 0);
        CHECK_EQ(one->device_steps, kind == INTERVENTION_SYNC ? 1000 + kind : 0);
        CHECK_EQ(one->heap_first, worker ? 95 : 0);
        CHECK_EQ(one->heap_last, worker ? 195 : 0);
        CHECK_EQ(one->resident_after, kind < INTERVENTION_WORKER ? 190 + kind : 0);
    }
}

static void check_holders(const struct model *m)
{
    const struct holder_record *found = &m->holders[0], *failed = &m->holders[1];

    CHECK_EQ(m->holder_count, 2);
    CHECK_EQ(found->site, 3);
    CHECK_EQ(found->targets, 4);
    CHECK_EQ(found->reached, 3);
    CHECK_EQ(found->root, ROOT_MODULE);
    CHECK_EQ(found->unit, 1);
    CHECK_EQ(found->depth, 2);
    CHECK_EQ(found->offset, 0x40);
    CHECK_EQ(found->path[1], 16);
    CHECK_EQ(found->pause_ns, 7);
    CHECK_EQ(found->scanned, 11);
    CHECK_EQ(failed->state, HOLDER_FAILED);
    CHECK_EQ(failed->reason, 2);
    CHECK_EQ(m->owner_count, 3);
    CHECK(m->owners[0].libraries_known);
    CHECK_EQ(m->owners[0].libraries_alone, 5);
    CHECK_EQ(m->owners[0].index + m->owners[0].left_out, 0);
    CHECK_EQ(m->owners[1].index, 42);
    CHECK_EQ(m->owners[1].misses, 80);
    CHECK(!m->owners[1].libraries_known);
    CHECK_EQ(m->owners[2].left_out, 9);
    CHECK_EQ(m->owners[2].index, 0);
}

static void check_all(const struct model *m)
{
    check_head(m);
    check_blocks(m);
    check_steps(m);
    check_totals(m);
    check_interventions(m);
    check_holders(m);
    CHECK_EQ(m->map_count, 1);
    CHECK_EQ(m->scope_count, 1);
    CHECK_EQ(m->note_count, 1);
    CHECK_EQ(m->module_count, 2);
    CHECK_EQ(m->lost[LOST_reentered], 3);
}

TEST(version1_is_read_as_what_it_meant)
{
    size_t size;
    uint8_t *bytes = build_read(OLD, &size);
    struct model *m = load(bytes, size);

    CHECK_EQ(bytes[VERSION_AT], 1);
    check_all(m);
    model_free(m);
    mem_free(bytes);
}

/* Nobody writes version 1 any more, so a small copy of such a ledger is of today's. */
TEST(version1_becomes_todays_version_when_it_is_stripped)
{
    size_t size;
    uint8_t *bytes = build_read(OLD, &size);
    struct text small = {0};
    struct why why = {""};
    struct model *m;

    CHECK_EQ(strip_ledger(&small, bytes, size, false, &why), 0);
    CHECK_EQ(small.bytes[VERSION_AT], LEDGER_VERSION);
    m = load(small.bytes, small.length);
    check_all(m);
    model_free(m);
    text_free(&small);
    mem_free(bytes);
}

/* ---- bad endings ---- */

static void put(uint8_t *bytes, size_t at, uint64_t value, size_t size)
{
    memcpy(bytes + at, &value, size);
}

static size_t entry_at(enum section section)
{
    return TABLE_AT + (size_t)section * sizeof(struct section_entry);
}

static size_t field_at(enum section section, size_t field)
{
    return entry_at(section) + field;
}

#define RECORD_SIZE offsetof(struct section_entry, record_size)
#define OFFSET      offsetof(struct section_entry, offset)
#define CAPACITY    offsetof(struct section_entry, capacity)
#define TAKEN       offsetof(struct section_entry, taken)
#define USED        offsetof(struct section_entry, used)

TEST(version1_survives_every_bad_ending)
{
    static const struct {
        size_t at, size;
        uint64_t value;
        int want;
        const char *says;
    } endings[] = {
        {HEADER_SIZE_AT, 4, 1000, ERR_FORMAT, "claims 1000 bytes"},
        {24, 4, 9, ERR_FORMAT, "role 9"},
        {28, 4, UINT32_MAX, 0, ""}, /* number of sections */
    };
    static const struct {
        enum section section;
        size_t field, size;
        uint64_t value;
        int want;
        const char *says;
    } entries[] = {
        {SECTION_steps, RECORD_SIZE, 4, 0, ERR_FORMAT, "steps claims records of 0 bytes"},
        {SECTION_steps, RECORD_SIZE, 4, 8, 0, ""}, /* too short for anything but its beginning */
        {SECTION_steps, RECORD_SIZE, 4, 65536, 0, ""},
        {SECTION_totals, RECORD_SIZE, 4, 16, 0, ""},
        {SECTION_owners, RECORD_SIZE, 4, 65528, 0, ""},
        {SECTION_owners, OFFSET, 8, UINT64_MAX - 7, ERR_FORMAT, "owners claims"},
        {SECTION_blocks, OFFSET, 8, 1ull << 40, 0, ""},
        {SECTION_blocks, OFFSET, 8, 64, ERR_FORMAT, "blocks claims to begin at byte 64"},
        {SECTION_interventions, CAPACITY, 8, UINT64_MAX / 8, ERR_FORMAT, "interventions claims"},
        {SECTION_holders, TAKEN, 8, UINT64_MAX, 0, ""},
        {SECTION_holders, USED, 8, UINT64_MAX, 0, ""},
        {SECTION_step_levels, OFFSET, 8, 1ull << 40, 0, ""},
        {SECTION_devices, OFFSET, 8, 8, 0, ""}, /* a section that version 1 did not have */
    };
    size_t size;
    uint8_t *const bytes = build_read(OLD, &size), *const copy = mem_zalloc(size);

    CHECK(copy);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) + sizeof(entries) / sizeof(entries[0]);
         i++) {
        const size_t k = i - sizeof(endings) / sizeof(endings[0]);
        const bool head = i < sizeof(endings) / sizeof(endings[0]);
        struct model *model = NULL;
        struct why why = {""};

        memcpy(copy, bytes, size);
        if (head)
            put(copy, endings[i].at, endings[i].value, endings[i].size);
        else
            put(copy, field_at(entries[k].section, entries[k].field), entries[k].value, entries[k].size);
        CHECK_EQ(model_load(&model, copy, size, &why), head ? endings[i].want : entries[k].want);
        CHECK_CONTAINS(why.text, head ? endings[i].says : entries[k].says);
        model_free(model);
    }
    mem_free(copy);
    mem_free(bytes);
}

/* A copy that ends exactly where the cut is, so that the address sanitizer sees one byte too many. */
static void check_cut(const uint8_t *bytes, size_t size)
{
    uint8_t *cut = mem_zalloc(size);
    struct model *model = NULL;
    struct why why = {""};
    int err;

    CHECK(cut);
    memcpy(cut, bytes, size);
    err = model_load(&model, cut, size, &why);
    CHECK_EQ(err, size < LEDGER_HEADER_SIZE ? ERR_TRUNCATED : 0);
    CHECK(err != 0 || (model->cut && model->step_count <= 41 && model->block_count <= 3));
    model_free(model);
    mem_free(cut);
}

TEST(version1_survives_a_cut_anywhere)
{
    size_t size;
    uint8_t *const bytes = build_read(OLD, &size);

    for (size_t at = 1; at < size; at += at < 2 * LEDGER_HEADER_SIZE ? 61 : 509)
        check_cut(bytes, at);
    check_cut(bytes, size - 1);
    mem_free(bytes);
}

/* The latest step may be said to be anywhere. */
TEST(version1_gives_no_device_from_outside_the_steps)
{
    size_t size;
    uint8_t *const bytes = build_read(OLD, &size);
    uint64_t levels;

    memcpy(&levels, bytes + field_at(SECTION_step_levels, OFFSET), sizeof(levels));
    for (uint64_t tail = 0; tail < 4096; tail += 97) {
        struct model *m;

        put(bytes, (size_t)levels + offsetof(struct level_record, tail), UINT64_MAX - tail, 8);
        m = load(bytes, size);
        CHECK(m->device_count <= 1);
        model_free(m);
    }
    mem_free(bytes);
}
