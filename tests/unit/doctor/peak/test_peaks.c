/* What made the peak: each rule on a ledger made by hand, and the same ledger with what it needs
 * missing. */
#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/measure/visit.h"
#include "doctor/peak/peaks.h"
#include "ledger/model.h"
#include "ledger/writer.h"
#include "test.h"

#define MB    (1ull << 20)
#define STEPS 40u
#define SITES 6u

struct forged {
    struct model model;
    struct process_report report;
    struct model_site sites[SITES];
    struct model_frame frames[SITES];
    struct model_block blocks[SITES];
    struct step_record steps[STEPS];
    struct holder_record holders[SITES];
    struct model_owner owners[2 * SITES];
    struct array_record arrays[SITES];
    struct arena *arena;
};

static struct forged *forge(void)
{
    static struct forged only; /* each test has a process of its own */
    struct forged *f = &only;
    struct model *m = &f->model;

    f->arena = arena_new();
    CHECK(f->arena != NULL);
    m->program = m->command = m->allocator = m->off_reason = "";
    m->sites = f->sites;
    m->frames = f->frames;
    m->blocks = f->blocks;
    m->steps = f->steps;
    m->holders = f->holders;
    m->owners = f->owners;
    m->arrays = f->arrays;
    m->step_count = STEPS;
    for (unsigned i = 0; i < STEPS; i++) {
        f->steps[i].first = f->steps[i].last = i + 1;
        f->steps[i].time = (i + 1) * 1000000ull;
        f->steps[i].clock[CLOCK_optimizer] = i + 1;
        f->steps[i].resident = 500 * MB;
    }
    m->totals.ordinal = STEPS + 1;
    m->peak.number = 1;
    m->peak.ordinal = 1;
    return f;
}

/* A line of `count` blocks, all there at the peak, made at step `birth`. Returns its site. */
static unsigned add_line(struct forged *f, uint64_t size, uint64_t count, uint64_t birth)
{
    const unsigned i = (unsigned)f->model.site_count++;
    struct class_total *total = &f->model.totals.classes[ledger_class(size)];

    f->frames[f->model.frame_count++] = (struct model_frame){.kind = FRAME_NATIVE, .offset = i + 1};
    f->sites[i] = (struct model_site){.stack = i + 1, .class_index = ledger_class(size),
                                      .kind = SITE_HEAP, .first = birth, .last = birth,
                                      .births = count, .deaths = count, .born_weight = size * count,
                                      .dead_weight = size * count, .peak_weight = size * count};
    total->born_blocks += count;
    total->born_bytes += size * count;
    f->report.peak_bytes += size * count;
    return i;
}

/* The same, and a single block that is still alive. */
static unsigned add_kept(struct forged *f, uint64_t size, uint64_t birth)
{
    const unsigned i = add_line(f, size, 1, birth);

    f->sites[i].deaths = 0;
    f->sites[i].dead_weight = 0;
    f->sites[i].live_weight = size;
    f->blocks[f->model.block_count++] = (struct model_block){
        .address = 0x10000000ull * (i + 1), .size = size, .weight = size, .birth = birth,
        .site = i + 1};
    return i;
}

/* A variable of the main module holds the site's block, which is this array of 100 columns. */
static void name_it(struct forged *f, unsigned site, const char *name, uint32_t kind, uint32_t dtype,
                    uint64_t rows, uint64_t element)
{
    const uint32_t holder = (uint32_t)++f->model.holder_count;
    struct model_owner *owners = &f->owners[f->model.owner_count];

    f->holders[holder - 1] = (struct holder_record){
        .site = site + 1, .state = HOLDER_DONE, .targets = 1, .reached = 1, .root = ROOT_MEMORY};
    owners[0] = (struct model_owner){.holder = holder, .kind = OWNER_MODULE, .name = "__main__",
                                     .type = "", .file = ""};
    owners[1] = (struct model_owner){.holder = holder, .position = 1, .kind = OWNER_ATTRIBUTE,
                                     .name = name, .type = "", .file = ""};
    f->model.owner_count += 2;
    f->arrays[f->model.array_count++] = (struct array_record){
        .holder = holder, .kind = kind, .dtype = dtype, .dimensions = 2, .elements = rows * 100,
        .bytes = rows * 100 * element, .sizes = {rows, 100}};
}

static void fill(struct forged *f)
{
    struct visit *visit = visit_new(&f->model, NULL, NULL, f->arena);

    CHECK(visit != NULL);
    clock_choose(&visit->clock, visit->model, visit->arena);
    peaks_fill(&f->report, visit);
    visit_free(visit);
}

static const struct peak_finding *judged(struct forged *f, size_t which)
{
    fill(f);
    CHECK(!arena_failed(f->arena));
    CHECK(f->report.peak_finding_count > which);
    return &f->report.peak_findings[which];
}

TEST(a_narrower_copy_beside_its_source_is_told_with_what_each_change_saves)
{
    struct forged *f = forge();
    const unsigned copy = add_kept(f, 80000000, 1), source = add_kept(f, 160000000, 1);
    const struct peak_finding *found;

    name_it(f, source, "data", ARRAY_NUMPY, DTYPE_float64, 200000, 8);
    name_it(f, copy, "X", ARRAY_TORCH, DTYPE_float32, 200000, 4);
    found = judged(f, 0);
    CHECK_EQ(f->report.peak_finding_count, 1);
    CHECK_TEXT(peak_kind_name(found->kind), "copy");
    CHECK_TEXT(found->parts[0].variable, "data");
    CHECK_TEXT(found->parts[0].array->dtype, "float64");
    CHECK_TEXT(found->parts[0].array->shape, "[200000, 100]");
    CHECK_TEXT(found->parts[1].variable, "X");
    CHECK_TEXT(found->parts[1].array->dtype, "float32");
    CHECK(found->parts[0].outlives && found->parts[1].outlives);
    CHECK_EQ(found->bytes, 240000000);
    CHECK_EQ(found->saving_count, 3);
    CHECK_TEXT(found->savings[0].code, "X = torch.from_numpy(data)");
    CHECK_EQ(found->savings[0].bytes, 160000000);
    CHECK_EQ(found->savings[0].remains, 80000000);
    CHECK(found->savings[0].lowers_peak);
    CHECK_TEXT(found->savings[1].code, "del data");
    CHECK_EQ(found->savings[1].bytes, 160000000);
    CHECK(!found->savings[1].lowers_peak);
    CHECK_EQ(found->savings[2].bytes, 80000000);
    CHECK_EQ(found->savings[2].remains, 160000000);
    CHECK_CONTAINS(found->summary, "both are alive through all 40 steps");
}

TEST(a_copy_of_the_same_type_need_not_be_made)
{
    struct forged *f = forge();
    const unsigned source = add_kept(f, 80000000, 1), copy = add_kept(f, 80000000, 2);
    const struct peak_finding *found;

    name_it(f, source, "a", ARRAY_NUMPY, DTYPE_float32, 200000, 4);
    name_it(f, copy, "b", ARRAY_TORCH, DTYPE_float32, 200000, 4);
    found = judged(f, 0);
    CHECK_TEXT(peak_kind_name(found->kind), "copy");
    CHECK_TEXT(found->parts[0].variable, "a");
    CHECK_EQ(found->savings[0].bytes, 80000000);
    CHECK_EQ(found->savings[0].remains, 80000000);
}

TEST(arrays_of_other_shapes_or_unknown_ones_are_no_copies)
{
    struct forged *f = forge();
    const unsigned one = add_kept(f, 80000000, 1), other = add_kept(f, 80000000, 1);

    (void)judged(f, 1);
    CHECK_EQ(f->report.peak_findings[0].kind, PEAK_large);
    name_it(f, one, "a", ARRAY_NUMPY, DTYPE_float32, 200000, 4);
    name_it(f, other, "b", ARRAY_NUMPY, DTYPE_float64, 100000, 8);
    (void)judged(f, 1);
    CHECK_EQ(f->report.peak_findings[0].kind, PEAK_large);
    CHECK_EQ(f->report.peak_findings[1].kind, PEAK_large);
}

TEST(a_source_that_was_released_is_not_there_twice)
{
    struct forged *f = forge();
    const unsigned source = add_line(f, 160000000, 1, 1), copy = add_kept(f, 80000000, 1);

    name_it(f, copy, "X", ARRAY_TORCH, DTYPE_float32, 200000, 4);
    name_it(f, source, "data", ARRAY_NUMPY, DTYPE_float64, 200000, 8);
    CHECK_EQ(judged(f, 0)->kind, PEAK_temporary);
    CHECK_EQ(f->report.peak_findings[0].savings[0].bytes, 160000000);
    CHECK_EQ(f->report.peak_findings[1].kind, PEAK_large);
}

/* What the steps make anew: blocks of 64 KiB, one in each. */
static void add_batches(struct forged *f)
{
    const unsigned i = add_line(f, 65536, STEPS, 1);

    f->sites[i].last = STEPS;
    f->sites[i].peak_weight = 65536;
}

TEST(a_data_set_is_told_with_what_a_batch_would_need)
{
    struct forged *f = forge();
    const struct peak_finding *found;

    name_it(f, add_kept(f, 80000000, 1), "images", ARRAY_NUMPY, DTYPE_float32, 200000, 4);
    add_batches(f);
    found = judged(f, 0);
    CHECK_EQ(f->report.peak_finding_count, 1);
    CHECK_TEXT(peak_kind_name(found->kind), "dataset");
    CHECK_EQ(found->savings[0].remains, 65536);
    CHECK_EQ(found->savings[0].bytes, 80000000 - 65536);
    CHECK_CONTAINS(found->savings[0].text, "a row is 400 B");
}

TEST(what_is_made_during_the_steps_is_no_data_set)
{
    struct forged *f = forge();

    name_it(f, add_kept(f, 80000000, 20), "late", ARRAY_NUMPY, DTYPE_float32, 200000, 4);
    add_batches(f);
    CHECK_EQ(judged(f, 0)->kind, PEAK_large);
}

TEST(a_list_beside_its_stack_is_there_twice)
{
    struct forged *f = forge();
    const struct peak_finding *found;

    (void)add_line(f, 400000, 500, 1);
    (void)add_kept(f, 200000000, 1);
    found = judged(f, 0);
    CHECK_EQ(f->report.peak_finding_count, 1);
    CHECK_TEXT(peak_kind_name(found->kind), "stacked");
    CHECK_EQ(found->parts[0].blocks, 500);
    CHECK_EQ(found->savings[0].bytes, 200000000);
    CHECK_EQ(found->savings[0].remains, 200000000);
    CHECK_EQ(found->savings[1].remains, 400000);
    CHECK_EQ(found->savings[1].bytes, 400000000 - 400000);
}

TEST(a_list_beside_something_of_another_size_is_not)
{
    struct forged *f = forge();

    (void)add_line(f, 400000, 500, 1);
    (void)add_kept(f, 300000000, 1);
    CHECK_EQ(judged(f, 0)->kind, PEAK_large);
    CHECK_EQ(f->report.peak_findings[1].kind, PEAK_temporary);
}

TEST(what_every_step_makes_anew_shrinks_with_the_batch)
{
    struct forged *f = forge();
    const unsigned i = add_line(f, 40 * MB, STEPS, 1);
    const struct peak_finding *found;

    f->sites[i].last = STEPS;
    f->sites[i].peak_weight = 80 * MB;
    f->report.peak_bytes = 100 * MB;
    found = judged(f, 0);
    CHECK_TEXT(peak_kind_name(found->kind), "intermediate");
    CHECK_EQ(found->parts[0].blocks, 2);
    CHECK_EQ(found->savings[0].bytes, 40 * MB);
}

TEST(small_parts_of_a_peak_are_not_told)
{
    struct forged *f = forge();

    (void)add_kept(f, 15 * MB, 1);
    fill(f);
    CHECK_EQ(f->report.peak_finding_count, 0);
    (void)add_kept(f, 20 * MB, 1);
    f->report.peak_bytes = 300 * MB;
    fill(f);
    CHECK_EQ(f->report.peak_finding_count, 0);
}

TEST(the_holders_of_what_stands_are_asked_for_the_largest_first)
{
    struct forged *f = forge();
    uint32_t sites[PEAKS_ASKED];
    const unsigned small = add_kept(f, 60 * MB, 1), large = add_kept(f, 90 * MB, 1);
    const unsigned fresh = add_kept(f, 200 * MB, STEPS), known = add_kept(f, 100 * MB, 1);

    name_it(f, known, "x", ARRAY_NUMPY, DTYPE_float32, 262144, 4);
    CHECK_EQ(peaks_wanted(&f->model, sites), 2);
    CHECK_EQ(sites[0], large + 1);
    CHECK_EQ(sites[1], small + 1);
    f->sites[fresh].last = 1;
    CHECK_EQ(peaks_wanted(&f->model, sites), 3);
    CHECK_EQ(sites[0], fresh + 1);
    f->model.peak.ordinal = STEPS;
    CHECK_EQ(peaks_wanted(&f->model, sites), 0);
}
