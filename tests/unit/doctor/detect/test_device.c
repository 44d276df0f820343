/* Memory of devices: what grows there, what its pool keeps, and what it refused. */
#include "doctor/facts/rules.h"
#include "fake.h"
#include "test.h"

#define STEPS 100u
#define GIB   (1ull << 30)

/* Each step leaves one block of SIZE bytes on device 1, of which this many bytes are taken. */
static struct fake *on_device(uint64_t taken)
{
    static struct model_device device;
    struct fake *fake = fake_new();

    fake->site.kind = SITE_DEVICE;
    fake->site.class_index = 1;
    for (unsigned i = 1; i <= STEPS; i++) {
        fake_step(fake, 0);
        fake_block(fake, i);
        fake->steps[i - 1].gauges[GAUGE_device_blocks] = i;
        fake->steps[i - 1].gauges[GAUGE_device_used] = i * SIZE;
        fake->steps[i - 1].gauges[GAUGE_device_taken] = taken;
    }
    fake->site.live_weight = fake->site.born_weight = STEPS * SIZE;
    fake->site.births = STEPS;
    device = (struct model_device){.name = "H200",
                                   .record = {.kind = DEVICE_GPU, .index = 1, .seen = 1, .memory = GIB,
                                              .used = STEPS * SIZE, .taken = taken, .blocks = STEPS}};
    fake->model.devices = &device;
    fake->model.device_count = 1;
    return fake;
}

TEST(blocks_that_stay_on_a_device_are_a_leak_of_the_device)
{
    const struct process_report report = judged(on_device(GIB / 2), NULL);
    const struct finding *finding = &report.findings[0];

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.finding_count, 1);
    CHECK_EQ(finding->memory, MEMORY_DEVICE);
    CHECK_EQ(finding->device, 1);
    CHECK(finding->rate.low <= SIZE && SIZE <= finding->rate.high);
}

TEST(the_memory_of_the_device_and_the_free_part_of_its_pool_are_what_is_left)
{
    const struct process_report report = judged(on_device(GIB / 2), NULL);

    CHECK(report.forecast.known);
    CHECK_EQ(report.forecast.headroom, GIB - STEPS * SIZE);
    CHECK_EQ(report.forecast.limit_bytes, GIB);
}

TEST(blocks_that_come_and_go_on_a_device_are_clean)
{
    struct fake *fake = on_device(GIB / 2);

    for (unsigned i = 0; i < STEPS; i++) {
        fake->steps[i].gauges[GAUGE_device_blocks] = 3;
        fake->steps[i].gauges[GAUGE_device_used] = 3 * SIZE;
    }
    fake->model.block_count = 3;
    CHECK_EQ(judged(fake, NULL).verdict, KIND_clean);
}

/* Nothing grows; the pool has this much, uses SIZE of it, and once refused a request. */
static struct process_report judged_pool(uint64_t pool, uint64_t asked, uint64_t free)
{
    struct fake *fake = on_device(pool);
    struct device_record *record = &fake->model.devices[0].record;

    for (unsigned i = 0; i < STEPS; i++) {
        fake->steps[i].gauges[GAUGE_device_blocks] = 1;
        fake->steps[i].gauges[GAUGE_device_used] = SIZE;
    }
    fake->model.block_count = 1;
    record->pool = pool;
    record->pool_used = SIZE;
    record->failed_bytes = asked;
    record->failed_used = SIZE;
    record->failed_taken = pool;
    record->failed_free = free;
    return judged(fake, NULL);
}

TEST(a_pool_that_keeps_much_is_a_cache_of_the_framework)
{
    const struct process_report report = judged_pool(GIB / 2, 0, 0);

    CHECK_EQ(report.verdict, KIND_framework_cache);
    CHECK_EQ(report.findings[0].live_bytes, GIB / 2 - SIZE);
    CHECK_EQ(judged_pool(RULE_DEVICE_SPARE, 0, 0).verdict, KIND_clean);
}

TEST(a_request_that_fails_though_enough_is_free_is_fragmentation)
{
    const struct process_report report = judged_pool(RULE_DEVICE_SPARE, RULE_DEVICE_SPARE, SIZE);

    CHECK_EQ(report.verdict, KIND_fragmentation);
    CHECK_EQ(report.findings[0].headline.id, FACT_device_pieces);
    CHECK_EQ(judged_pool(RULE_DEVICE_SPARE, RULE_DEVICE_SPARE + 1, SIZE).verdict, KIND_clean);
}

/* Nobody reports blocks; the framework counts `used` bytes after each step, of so many it has taken. */
static struct process_report judged_counts(uint64_t used, uint64_t taken)
{
    struct fake *fake = on_device(0);

    for (unsigned i = 0; i < STEPS; i++) {
        fake->steps[i].gauges[GAUGE_device_blocks] = 1;
        fake->steps[i].gauges[GAUGE_device_used] = GIB + i * used;
        fake->steps[i].gauges[GAUGE_device_taken] = 2 * GIB + i * taken;
    }
    fake->model.block_count = 0;
    return judged(fake, NULL);
}

TEST(bytes_that_the_framework_counts_are_a_leak_of_the_device)
{
    const struct process_report report = judged_counts(100 * SIZE, 0);

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.findings[0].memory, MEMORY_DEVICE);
    CHECK(report.findings[0].rate.low <= 100 * SIZE && 100 * SIZE <= report.findings[0].rate.high);
    CHECK_EQ(judged_counts(0, 0).verdict, KIND_clean);
}

TEST(a_pool_that_takes_more_and_uses_no_more_is_fragmentation)
{
    const struct process_report report = judged_counts(0, GIB / STEPS);

    CHECK_EQ(report.verdict, KIND_fragmentation);
    CHECK_EQ(report.findings[0].headline.id, FACT_device_takes);
}
