/* test_profile.c - the stacks of a run with their memory, from a ledger made by the real writer. */
#include "base/arena.h"
#include "build_ledger.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/verbs/profile.h"
#include "ledger/model.h"
#include "test.h"

TEST(profile_has_the_memory_of_each_stack)
{
    struct ledger ledger;
    struct diagnosis diagnosis;
    struct profile profile;
    struct why why = {""};
    struct run run;
    uint64_t live = 0, heap = 0;

    build_small_process(&ledger, "10.0.tare");
    ledger_close(&ledger);
    CHECK_EQ(run_load(&run, test_directory(), &why), 0);
    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    CHECK_EQ(profile_make(&profile, &run, &diagnosis, &why), 0);
    CHECK_EQ(profile.count, 1);
    CHECK(profile.processes[0].model == run.processes[0]);
    CHECK(profile.processes[0].report == &diagnosis.processes[0]);
    for (size_t i = 0; i < profile.processes[0].count; i++) {
        const struct profile_sample *sample = &profile.processes[0].samples[i];
        uint64_t sum = 0;

        for (size_t k = 0; k < PROFILE_VALUES; k++)
            sum += sample->values[k];
        CHECK(sum > 0); /* a stack without any memory is left out */
        CHECK(sample->values[PROFILE_live_bytes] <= sample->values[PROFILE_allocated_bytes] || sample->map);
        live += sample->map ? 0 : sample->values[PROFILE_live_bytes];
        heap += !sample->map;
    }
    CHECK_EQ(heap, 2);
    CHECK_EQ(live, 2900); /* the three sampled blocks: 1,000, 1,000 and 900 bytes */
    diagnosis_free(&diagnosis);
    run_free(&run);
}

TEST(profile_values_are_found_by_name)
{
    for (int i = 0; i < PROFILE_VALUES; i++)
        CHECK_EQ(profile_value_called(profile_value_name((enum profile_value)i)), i);
    CHECK_EQ(profile_value_called("nothing"), -1);
    CHECK_TEXT(profile_value_unit(PROFILE_live_blocks), "count");
    CHECK_TEXT(profile_value_unit(PROFILE_live_bytes), "bytes");
}
