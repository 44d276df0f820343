/* Judging tensors that an adapter tells of: a few of them, chosen by their bytes, and exact sums of all. */
#include "doctor/facts/rules.h"
#include "fake.h"
#include "test.h"

#define STEPS 400u
#define SMALL 4u
#define COARSE 40u /* steps from one sample to the next, when few are taken */

/* Each step keeps `many` tensors of SIZE bytes; the framework counts them. */
static struct fake *program(uint64_t many)
{
    struct fake *fake = fake_new();

    fake->site.kind = SITE_TENSOR;
    fake->model.head.watched = 0;
    for (unsigned i = 1; i <= STEPS; i++) {
        fake_step(fake, 0);
        fake->steps[i - 1].gauges[GAUGE_tensors] = many * i;
        fake->steps[i - 1].gauges[GAUGE_tensor_bytes] = many * i * SIZE;
    }
    return fake;
}

/* One of them was chosen, and stands for `units`. */
static void seen(struct fake *fake, uint64_t birth, uint64_t size, uint64_t units)
{
    struct model_block *block = &fake->blocks[fake->model.block_count];

    fake_block(fake, birth);
    block->size = size;
    block->weight = size * units;
}

/* Every second step in the first half; then ever fewer, though as many come. */
TEST(samples_that_grow_rare_are_no_end)
{
    struct fake *fake = program(1);

    for (unsigned i = 1; i <= STEPS / 2; i += 2)
        seen(fake, i, SIZE, 2);
    for (unsigned i = STEPS / 2 + 1; i < STEPS - 2 * COARSE; i += COARSE)
        seen(fake, i, SIZE, COARSE);
    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained);
}

/* The same samples, and then none for as long, while the framework's own count stands still. */
TEST(tensors_that_come_no_more_are_no_leak)
{
    struct fake *fake = program(1);

    for (unsigned i = 1; i <= STEPS / 2; i += 2)
        seen(fake, i, SIZE, 2);
    for (unsigned i = STEPS / 2; i < STEPS; i++) {
        fake->steps[i].gauges[GAUGE_tensors] = STEPS / 2;
        fake->steps[i].gauges[GAUGE_tensor_bytes] = STEPS / 2 * SIZE;
    }
    CHECK(judged(fake, NULL).verdict < KIND_undecided);
}

/* Chance has taken one scalar in a thousand: it stands for a thousand, and the mean size is nothing. */
static struct fake *with_scalars(void)
{
    struct fake *fake = program(1);

    for (unsigned i = 1; i <= STEPS; i += 4)
        seen(fake, i, SIZE, 4);
    for (unsigned i = 1; i <= STEPS; i += COARSE / 4)
        seen(fake, i, SMALL, 1000);
    return fake;
}

TEST(the_sum_of_bytes_tells_the_rate_of_tensors)
{
    const struct process_report report = judged(with_scalars(), NULL);
    const double rate = report.finding_count ? report.findings[0].rate.estimate : 0;

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(rate > 0.9 * SIZE && rate < 1.1 * SIZE);
}

/* What a collector has taken is in the framework's sum of bytes all the same: then it says nothing. */
TEST(bytes_that_a_collector_took_are_not_believed)
{
    struct fake *fake = with_scalars();
    struct process_report report;

    for (unsigned i = 0; i < STEPS; i++) {
        fake->steps[i].gauges[GAUGE_tensors_collected] = 9 * (i + 1);
        fake->steps[i].gauges[GAUGE_tensor_bytes] = 10 * (i + 1) * SIZE;
    }
    fake->model.block_count = STEPS / 4; /* without the scalars the count of tensors is enough */
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(report.findings[0].rate.estimate < 1.2 * SIZE);
}

/* ---- when the memory is full ---- */

static const struct run *limited(uint64_t device)
{
    static struct limit_record limits[2];
    static struct model own = {.limits = limits};
    static const struct run run = {.own = &own};

    limits[0] = (struct limit_record){.kind = LIMIT_MACHINE, .bytes = 1ull << 30};
    limits[1] = (struct limit_record){.kind = LIMIT_DEVICE, .bytes = device};
    own.limit_count = device ? 2 : 1;
    return &run;
}

/* As many bytes of the device as of its tensors; the process grows by `resident` for each step. */
static struct fake *on_device(uint64_t resident)
{
    struct fake *fake = program(1);

    for (unsigned i = 1; i <= STEPS; i++) {
        fake->steps[i - 1].gauges[GAUGE_device_used] = (uint64_t)i * SIZE;
        fake->steps[i - 1].gauges[GAUGE_device_taken] = (uint64_t)i * SIZE;
        fake->steps[i - 1].resident = (100ull << 20) + i * resident;
        seen(fake, i, SIZE, 1);
    }
    return fake;
}

TEST(a_device_is_full_by_its_own_memory)
{
    const struct process_report report = judged(on_device(0), limited(1ull << 24));

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(report.forecast.known);
    CHECK_TEXT(report.forecast.limit, "memory of the device");
    CHECK_EQ(report.forecast.limit_bytes, 1ull << 24);
}

TEST(of_a_device_of_unknown_size_nothing_is_foretold)
{
    CHECK(!judged(on_device(0), limited(0)).forecast.known);
}

/* A driver in software has its buffers in the process. */
TEST(a_device_in_software_fills_the_machine)
{
    const struct process_report report = judged(on_device(SIZE), limited(1ull << 24));

    CHECK(report.forecast.known);
    CHECK_TEXT(report.forecast.limit, "memory of the machine");
}
