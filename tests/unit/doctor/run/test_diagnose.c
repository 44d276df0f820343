/* A whole run from ledgers to a diagnosis: order, words, and no memory at any moment. */
#include "test.h"

#include <signal.h>

#include "base/mem.h"
#include "build_ledger.h"
#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"

static struct model *process(uint32_t pid, uint32_t parent, uint32_t generation, uint64_t start)
{
    struct model *model = mem_zalloc(sizeof(*model));

    CHECK(model != NULL);
    model->head.pid = pid;
    model->head.parent_pid = parent;
    model->head.generation = generation;
    model->head.start_mono = start;
    model->program = model->command = model->allocator = model->off_reason = "";
    return model;
}

static void forget(struct model **models, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mem_free(models[i]);
}

TEST(diagnose_puts_parents_before_children)
{
    /* 10 makes 11 and 12, becomes another program (10.1), which makes 13; 12 makes 14. */
    struct model *models[] = {process(10, 1, 0, 1),  process(11, 10, 0, 2), process(12, 10, 0, 3),
                              process(14, 12, 0, 4), process(10, 1, 1, 5),  process(13, 10, 0, 6)};
    static const uint32_t want[] = {10, 11, 12, 14, 10, 13};
    const struct run run = {.processes = models, .process_count = 6};
    struct diagnosis diagnosis;
    struct why why;

    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    CHECK_EQ(diagnosis.process_count, 6);
    for (size_t i = 0; i < 6; i++)
        CHECK_EQ(diagnosis.processes[i].pid, want[i]);
    CHECK_TEXT(diagnosis.processes[0].ended, "became another program (exec)");
    diagnosis_free(&diagnosis);
    forget(models, 6);
}

static void check_ending(const struct process_record *record, enum ending want, int number, const char *words)
{
    struct process_record records[1] = {record ? *record : (struct process_record){.pid = 0}};
    const char *none[1] = {NULL};
    struct model own = {.processes = records,
                        .process_names = none,
                        .process_untraced = none,
                        .process_count = 1};
    struct model *models[] = {process(10, 1, 0, 1)};
    const struct run run = {.processes = models, .process_count = 1, .own = &own};
    struct diagnosis diagnosis;
    struct why why;

    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    CHECK_EQ(diagnosis.processes[0].ending, want);
    CHECK_EQ(diagnosis.processes[0].ending_number, number);
    CHECK_TEXT(diagnosis.processes[0].ended, words);
    diagnosis_free(&diagnosis);
    forget(models, 1);
}

TEST(diagnose_says_how_a_process_ended)
{
    check_ending(&(struct process_record){.pid = 10}, ENDING_RUNNING, 0, "running");
    check_ending(NULL, ENDING_UNRECORDED, 0, "running or killed: no orderly end is recorded");
    check_ending(&(struct process_record){.pid = 10, .end = 5, .status = 3 << 8}, ENDING_STATUS, 3, "exit 3");
    check_ending(&(struct process_record){.pid = 10, .end = 5, .status = SIGABRT}, ENDING_SIGNAL, SIGABRT,
                 "killed by SIGABRT");
    check_ending(&(struct process_record){.pid = 10,
                                          .end = 5,
                                          .status = SIGKILL,
                                          .flags = PROCESS_OOM_KILLED},
                 ENDING_NO_MEMORY, 0, "killed by the kernel's OOM killer");
    check_ending(&(struct process_record){.pid = 10, .end = 5, .status = UINT32_MAX},
                 ENDING_ABRUPT, 0,
                 "ended without leaving in order (killed, or a raw exit)");
}

TEST(diagnose_survives_parents_that_run_in_a_circle)
{
    struct model *models[] = {process(10, 11, 0, 1), process(11, 10, 0, 1)};
    const struct run run = {.processes = models, .process_count = 2};
    struct diagnosis diagnosis;
    struct why why;

    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    CHECK_EQ(diagnosis.process_count, 2);
    diagnosis_free(&diagnosis);
    forget(models, 2);
}

/* Ticks of a clock, a second each; live bytes rise by `rise` at each. */
static void live_through(struct model *model, unsigned ticks, enum clock_id clock, uint64_t rise)
{
    model->steps = mem_zalloc_array(ticks, sizeof(*model->steps));
    CHECK(model->steps != NULL);
    model->step_count = ticks;
    for (unsigned i = 0; i < ticks; i++) {
        struct step_record *step = &model->steps[i];

        step->first = step->last = i + 1;
        step->time = (i + 1) * 1000000000ull;
        step->clock[clock] = i + 1;
        step->live_bytes = step->live_min = step->live_max = 1000000 + i * rise;
        step->live_blocks = 1000 + i * rise / 1000;
    }
    model->head.page_size = 4096;
    model->totals.time = model->steps[ticks - 1].time;
}

TEST(a_worker_of_a_moment_does_not_leave_the_run_undecided)
{
    struct model *models[] = {process(10, 1, 0, 1), process(11, 10, 0, 2)};
    struct run run = {.processes = models, .process_count = 2};
    struct diagnosis diagnosis;
    struct why why;

    live_through(models[0], 100, CLOCK_mark, 0);
    live_through(models[1], 20, CLOCK_time, 100000);
    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    CHECK_EQ(diagnosis.processes[0].verdict, KIND_clean);
    CHECK_EQ(diagnosis.processes[1].verdict, KIND_undecided);
    CHECK_EQ(diagnosis.verdict, KIND_clean);
    diagnosis_free(&diagnosis);
    run = (struct run){.processes = models + 1, .process_count = 1};
    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    CHECK_EQ(diagnosis.verdict, KIND_undecided);
    diagnosis_free(&diagnosis);
    mem_free(models[0]->steps);
    mem_free(models[1]->steps);
    forget(models, 2);
}

TEST(diagnose_says_when_nothing_was_measured)
{
    const struct run run = {0};
    struct diagnosis diagnosis;
    struct why why;

    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    CHECK_EQ(diagnosis.verdict, KIND_undecided);
    CHECK_CONTAINS(diagnosis.answer, "no process of this run left measurements");
    diagnosis_free(&diagnosis);
}

TEST(diagnose_survives_running_out_of_memory)
{
    struct ledger ledger;
    struct run run;
    struct why why;
    bool whole = false;

    build_small_process(&ledger, "10.0.tare");
    ledger_close(&ledger);
    build_small_run(&ledger, LEDGER_RUN_NAME);
    ledger_close(&ledger);
    CHECK_EQ(run_load(&run, test_directory(), &why), 0);
    for (unsigned long n = 1; !whole; n++) {
        struct diagnosis diagnosis;

        CHECK(n < 100000);
        mem_fail_at(n);
        if (diagnose(&diagnosis, &run, &why) == 0) {
            diagnosis_free(&diagnosis);
            whole = test_still_armed(n);
        } else {
            CHECK(why.text[0] != 0);
            CHECK(diagnosis.arena == NULL);
        }
    }
    run_free(&run);
}
