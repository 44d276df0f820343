/* Growth that a framework's own store explains: a ledger made by hand, with a registry in it. */
#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/run/examine.h"
#include "ledger/model.h"
#include "ledger/writer.h"
#include "test.h"

#define SIZE   4096u
#define STEPS  60u
#define SECOND 1000000000ull

/* One block per step, made by a library's Python code, all of them kept. */
struct fake {
    struct model model;
    struct model_site site;
    struct model_frame frame;
    struct model_code code;
    struct step_record steps[STEPS];
    struct model_block blocks[STEPS];
    struct model_registry registry;
    struct holder_record holder;
    struct model_owner owners[2];
};

static void add_step(struct fake *fake, uint64_t number)
{
    struct step_record *step = &fake->steps[number - 1];
    const unsigned class_index = ledger_class(SIZE);

    step->first = step->last = step->live_blocks = number;
    step->time = number * SECOND;
    step->clock[CLOCK_mark] = number;
    step->class_blocks[class_index] = (uint32_t)number;
    step->live_bytes = step->live_min = step->live_max = number * SIZE;
    fake->blocks[number - 1] = (struct model_block){
        .address = 16 * number, .size = SIZE, .weight = SIZE, .birth = number, .site = 1};
}

static struct fake *fake_new(const char *made_in)
{
    static struct fake only; /* each test has a process of its own */
    struct fake *fake = &only;
    struct model *model = &fake->model;
    const unsigned class_index = ledger_class(SIZE);

    fake->code = (struct model_code){.file = made_in, .name = "build"};
    fake->frame = (struct model_frame){.kind = FRAME_PYTHON, .unit = 1, .offset = 2};
    fake->site = (struct model_site){.stack = 1, .class_index = class_index, .kind = SITE_HEAP,
                                     .first = 1, .last = STEPS, .births = STEPS,
                                     .born_weight = STEPS * SIZE, .live_weight = STEPS * SIZE};
    model->program = model->command = model->allocator = model->off_reason = "";
    model->sites = &fake->site;
    model->frames = &fake->frame;
    model->code = &fake->code;
    model->steps = fake->steps;
    model->blocks = fake->blocks;
    model->registries = &fake->registry;
    model->site_count = model->frame_count = model->code_count = model->registry_count = 1;
    model->step_count = model->block_count = STEPS;
    model->head.page_size = 4096;
    model->head.watched = 1ull << class_index;
    model->totals.watched_since[class_index] = 1;
    model->totals.classes[class_index] =
        (struct class_total){.born_blocks = STEPS, .born_bytes = STEPS * SIZE};
    for (uint64_t i = 1; i <= STEPS; i++)
        add_step(fake, i);
    return fake;
}

/* The gradient registry, which last gained in that step. */
static void gains_until(struct fake *fake, uint64_t step)
{
    fake->registry = (struct model_registry){
        .name = known_text(KNOWN_store_gradients),
        .store = KNOWN_store_gradients,
        .record = {.first_count = 600, .count = 600 + 2 * step, .most = 600 + 2 * step,
                   .rises = step, .changed = step, .first = 1, .last = STEPS}};
}

/* A variable of the module in that file leads to the blocks. */
static void held_from(struct fake *fake, const char *module, const char *file)
{
    fake->holder = (struct holder_record){
        .site = 1, .state = HOLDER_DONE, .targets = 4, .reached = 4};
    fake->owners[0] = (struct model_owner){
        .holder = 1, .kind = OWNER_MODULE, .name = module, .type = "module", .file = file};
    fake->owners[1] = (struct model_owner){
        .holder = 1, .kind = OWNER_ATTRIBUTE, .name = "models", .type = "list", .file = "",
        .length = STEPS};
    fake->model.holders = &fake->holder;
    fake->model.owners = fake->owners;
    fake->model.holder_count = 1;
    fake->model.owner_count = 2;
}

static struct finding judged(const struct fake *fake)
{
    static struct arena *arena; /* lives as long as the test */
    struct process_report report = {.pid = 0};
    struct why why = {""};

    arena = arena_new();
    CHECK_EQ(examine_process(&report, &fake->model, NULL, NULL, arena, &why), 0);
    CHECK_EQ(report.finding_count, 1);
    return report.findings[0];
}

#define LIBRARY "/usr/lib/python3/dist-packages/keras/src/layers/layer.py"

TEST(what_a_library_makes_while_the_registry_gains_is_the_registrys)
{
    struct fake *fake = fake_new(LIBRARY);
    struct finding finding;

    gains_until(fake, STEPS);
    finding = judged(fake);
    CHECK_EQ(finding.kind, KIND_unbounded_cache);
    CHECK_CONTAINS(finding.held_by, "gradient registry, by 720 entries (600 at first)");
    CHECK_CONTAINS(finding.remedy.text, "run_eagerly=True");
}

TEST(a_library_s_own_variable_on_the_way_says_less_than_the_registry)
{
    struct fake *fake = fake_new(LIBRARY);

    gains_until(fake, STEPS);
    held_from(fake, "builtins", "");
    CHECK_EQ(judged(fake).kind, KIND_unbounded_cache);
}

TEST(what_the_program_holds_is_the_programs)
{
    struct fake *fake = fake_new(LIBRARY);
    struct finding finding;

    gains_until(fake, STEPS);
    held_from(fake, "__main__", "/srv/jobs/train.py");
    finding = judged(fake);
    CHECK_EQ(finding.kind, KIND_retained);
    CHECK_TEXT(finding.held_by, "__main__.models");
}

TEST(a_registry_that_gains_no_more_explains_nothing)
{
    struct fake *fake = fake_new(LIBRARY);

    gains_until(fake, STEPS / 2);
    CHECK_EQ(judged(fake).kind, KIND_retained);
}

TEST(blocks_of_the_programs_own_code_are_not_the_registrys)
{
    struct fake *fake = fake_new("/srv/jobs/train.py");

    gains_until(fake, STEPS);
    CHECK_EQ(judged(fake).kind, KIND_retained);
}
