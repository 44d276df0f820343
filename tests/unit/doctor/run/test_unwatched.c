/* test_unwatched.c - which processes without a probe forbid "No", and how the answer names them. */
#include "test.h"

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/verbs/check.h"
#include "doctor/run/unwatched.h"

#define SECOND 1000000000ull
#define PROCESSES 3

/* The run's own ledger: three processes, of which the first is the root and watched. */
struct own {
    struct model model;
    struct process_record records[PROCESSES];
    const char *names[PROCESSES], *reasons[PROCESSES];
};

static void begin(struct own *own, uint64_t seconds)
{
    *own = (struct own){.names = {"root", "nginx", "other"}};
    own->model.head.start_mono = 100 * SECOND;
    own->model.head.seen_mono = (100 + seconds) * SECOND;
    own->model.processes = own->records;
    own->model.process_names = own->names;
    own->model.process_untraced = own->reasons;
    own->model.process_count = PROCESSES;
    for (unsigned i = 0; i < PROCESSES; i++)
        own->records[i] = (struct process_record){
            .pid = 10 + i, .start = 100 * SECOND, .end = own->model.head.seen_mono};
    own->records[0].flags = PROCESS_ROOT;
}

/* Not watched, from the start for so long; 0: it is alive. */
static void leave_out(struct own *own, unsigned which, uint64_t nanoseconds)
{
    own->reasons[which] = "it is linked statically";
    own->records[which].end = nanoseconds ? 100 * SECOND + nanoseconds : 0;
}

static uint32_t found(const struct own *own)
{
    struct arena *arena = arena_new();
    const struct unwatched_process *one = unwatched_find(&own->model, arena);
    const uint32_t pid = one ? one->pid : 0;

    arena_free(arena);
    return pid;
}

TEST(a_process_that_lived_long_unwatched_matters)
{
    struct own own;

    begin(&own, 100);
    CHECK_EQ(found(&own), 0);
    leave_out(&own, 1, 10 * SECOND);
    CHECK_EQ(found(&own), 11);
    leave_out(&own, 1, 9 * SECOND);
    CHECK_EQ(found(&own), 0);
    leave_out(&own, 1, 0);
    CHECK_EQ(found(&own), 11);
}

TEST(in_a_short_run_half_of_it_matters)
{
    struct own own;

    begin(&own, 6);
    leave_out(&own, 1, 3 * SECOND);
    CHECK_EQ(found(&own), 11);
    leave_out(&own, 1, 2 * SECOND);
    CHECK_EQ(found(&own), 0);
    begin(&own, 1);
    leave_out(&own, 1, SECOND); /* nothing can be said of so short a life, watched or not */
    CHECK_EQ(found(&own), 0);
}

TEST(the_one_that_lived_longest_is_named)
{
    struct arena *arena = arena_new();
    const struct unwatched_process *one;
    struct own own;

    begin(&own, 100);
    leave_out(&own, 1, 20 * SECOND);
    leave_out(&own, 2, 30 * SECOND);
    one = unwatched_find(&own.model, arena);
    CHECK(one != NULL);
    CHECK_EQ(one->others, 1);
    CHECK_TEXT(unwatched_words(one, arena),
               "process 12 (other) and 1 more were not watched: it is linked statically");
    own.reasons[1] = NULL;
    one = unwatched_find(&own.model, arena);
    CHECK_TEXT(unwatched_words(one, arena), "process 12 (other) was not watched: it is linked statically");
    CHECK(!unwatched_find(NULL, arena));
    arena_free(arena);
}

/* A watched process with a hundred steps in as many seconds; live bytes rise by `rise` at each. */
static struct model *process(uint64_t rise, unsigned ticks)
{
    struct model *model = mem_zalloc(sizeof(*model));

    CHECK(model != NULL);
    model->head.pid = 10;
    model->head.start_mono = 1;
    model->head.page_size = 4096;
    model->program = model->command = model->allocator = model->off_reason = "";
    model->steps = mem_zalloc_array(ticks, sizeof(*model->steps));
    CHECK(model->steps != NULL);
    model->step_count = ticks;
    for (unsigned i = 0; i < ticks; i++) {
        struct step_record *step = &model->steps[i];

        step->first = step->last = i + 1;
        step->time = (i + 1) * SECOND;
        step->clock[CLOCK_mark] = i + 1;
        step->live_bytes = step->live_min = step->live_max = 1000000 + i * rise;
        step->live_blocks = 1000 + i * rise / 1000;
    }
    model->totals.time = model->steps[ticks - 1].time;
    return model;
}

/* The run is diagnosed, and checked without limits. */
static void judge(struct own *own, unsigned ticks, struct diagnosis *diagnosis, struct check *check)
{
    const struct check_limits limits = {0};
    struct model *models[] = {process(0, ticks)};
    const struct run run = {.own = &own->model, .processes = models, .process_count = 1};
    struct why why;

    CHECK_EQ(diagnose(diagnosis, &run, &why), 0);
    CHECK_EQ(check_run(check, diagnosis, &limits, &why), 0);
    mem_free(models[0]->steps);
    mem_free(models[0]);
}

TEST(an_unwatched_process_forbids_no)
{
    struct diagnosis diagnosis;
    struct check check;
    struct own own;

    begin(&own, 100);
    judge(&own, 100, &diagnosis, &check);
    CHECK_EQ(diagnosis.verdict, KIND_clean);
    CHECK_EQ(check.outcome, CHECK_PASSED);
    diagnosis_free(&diagnosis);
    leave_out(&own, 1, 50 * SECOND);
    judge(&own, 100, &diagnosis, &check);
    CHECK_EQ(diagnosis.verdict, KIND_undecided);
    CHECK_EQ(kind_status(diagnosis.verdict), 3);
    CHECK_TEXT(diagnosis.answer, "Not decided: nothing grew in what was watched, but process 11 (nginx) was "
                                 "not watched: it is linked statically.");
    CHECK_EQ(diagnosis.processes[0].verdict, KIND_clean);
    CHECK_EQ(check.outcome, CHECK_UNKNOWN);
    CHECK_CONTAINS(check.lines[0].text, "process 11 (nginx) was not watched");
    diagnosis_free(&diagnosis);
    leave_out(&own, 1, SECOND);
    judge(&own, 100, &diagnosis, &check);
    CHECK_EQ(diagnosis.verdict, KIND_clean);
    CHECK_EQ(check.outcome, CHECK_PASSED);
    diagnosis_free(&diagnosis);
}

TEST(an_unwatched_process_is_named_where_the_watched_one_was_a_wrapper)
{
    struct diagnosis diagnosis;
    struct check check;
    struct own own;

    begin(&own, 100);
    leave_out(&own, 1, 50 * SECOND);
    judge(&own, 1, &diagnosis, &check);
    CHECK(diagnosis.processes[0].early);
    CHECK_EQ(diagnosis.verdict, KIND_undecided);
    CHECK_TEXT(diagnosis.answer,
               "Not decided: process 11 (nginx) was not watched: it is linked statically.");
    diagnosis_free(&diagnosis);
}
