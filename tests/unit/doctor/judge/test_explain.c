/* Each explainer on a finding made by hand: when it applies, and what it changes. */
#include "base/arena.h"
#include "doctor/judge/explain.h"
#include "doctor/judge/native_cause.h"
#include "doctor/runtime/runtimes.h"
#include "ledger/model.h"
#include "test.h"

#define TICKS   80u
#define LIBRARY "/usr/lib/python3/dist-packages/keras/src/layer.py"

/* A process of 80 marked steps, with one site of a library's Python code. */
struct world {
    struct model model;
    struct model_site site;
    struct model_frame frame;
    struct model_code code;
    struct step_record steps[TICKS];
    struct model_registry registries[2];
    struct model_trace trace;
    struct visit *visit;
};

static struct world *world_new(void)
{
    static struct world only; /* each test has a process of its own */
    struct world *world = &only;
    struct model *model = &world->model;

    for (uint64_t i = 1; i <= TICKS; i++) {
        struct step_record *step = &world->steps[i - 1];

        step->first = step->last = step->clock[CLOCK_mark] = i;
        step->time = i * 1000000000ull;
    }
    world->code = (struct model_code){.file = LIBRARY, .name = "build"};
    world->frame = (struct model_frame){.kind = FRAME_PYTHON, .unit = 1, .offset = 2};
    world->site = (struct model_site){.stack = 1, .kind = SITE_HEAP};
    model->program = model->command = model->allocator = model->off_reason = "";
    model->sites = &world->site;
    model->frames = &world->frame;
    model->code = &world->code;
    model->steps = world->steps;
    model->registries = world->registries;
    model->traces = &world->trace;
    model->site_count = model->frame_count = model->code_count = 1;
    model->step_count = TICKS;
    world->visit = visit_new(model, NULL, NULL, arena_new());
    CHECK(world->visit != NULL);
    clock_choose(&world->visit->clock, model, world->visit->arena);
    series_build(&world->visit->series, model, &world->visit->clock, world->visit->scratch);
    CHECK_EQ(world->visit->series.ticks, TICKS);
    return world;
}

/* A leak of 4 KB per tick that the floor would keep. */
static struct finding *leak(struct world *world)
{
    struct finding *finding = visit_add(world->visit);

    finding->kind = KIND_retained;
    finding->site = 1;
    finding->rate = (struct interval){4096, 4096, 4096};
    finding->live_bytes = 4096 * TICKS;
    finding->live_blocks = TICKS;
    finding->evicted_nothing = true;
    finding->holder_growing = SIZE_MAX;
    visit_grow(world->visit, finding, (struct slope){4096, 4096, 4096});
    return finding;
}

static struct finding *explained(struct world *world, enum explain_group group)
{
    explain_all(world->visit, group);
    return &world->visit->findings[0];
}

/* A registry that gains one entry in each step, until that one. */
static void gains(struct world *world, enum known_text store, uint64_t until)
{
    struct model_registry *registry = &world->registries[world->model.registry_count++];

    *registry = (struct model_registry){
        .name = known_text(store),
        .store = store,
        .record = {.first_count = 10, .count = 10 + until, .most = 10 + until, .rises = until,
                   .changed = until, .first = 1, .last = TICKS}};
}

/* A container of a variable of the program, with this type and bound. */
static void held(struct finding *finding, struct holder_step path[3], const char *file, const char *type,
                 uint64_t bound)
{
    path[0] = (struct holder_step){.kind = OWNER_MODULE, .name = "lib", .type = "module", .file = file};
    path[1] = (struct holder_step){
        .kind = OWNER_ATTRIBUTE, .name = "store", .type = type, .file = "", .length = TICKS, .bound = bound};
    path[2] = (struct holder_step){.kind = OWNER_KEY, .name = "'a'", .type = "Entry", .file = ""};
    finding->holder_path = path;
    finding->holder_count = 3;
    finding->holder_growing = 1;
}

TEST(a_declared_bound_that_is_not_reached_is_a_plateau_and_is_not_forecast)
{
    static struct holder_step path[3];
    struct world *world = world_new();
    struct finding *finding = leak(world);

    advise(finding, REMEDY_bound_list);
    held(finding, path, "/srv/train.py", "collections.deque", 400);
    finding = explained(world, EXPLAIN_PATH);
    CHECK_EQ(finding->kind, KIND_plateau);
    CHECK_EQ(finding->headline.id, FACT_will_stop);
    CHECK_EQ(finding->headline.n[1], 4096 * 400);
    CHECK_EQ(finding->advice, REMEDY_none);
    CHECK(!finding->evicted_nothing && world->visit->growth.estimate == 0);
}

TEST(a_bound_that_is_reached_explains_nothing)
{
    static struct holder_step path[3];
    struct world *world = world_new();

    held(leak(world), path, "/srv/train.py", "collections.deque", TICKS);
    CHECK_EQ(explained(world, EXPLAIN_PATH)->kind, KIND_retained);
    CHECK(world->visit->growth.estimate == 4096);
}

TEST(a_mapping_of_a_library_is_an_unbounded_cache_and_one_of_the_program_is_not)
{
    static struct holder_step path[3], own[3];
    struct world *world = world_new();

    held(leak(world), path, LIBRARY, "dict", 0);
    held(leak(world), own, "/srv/train.py", "dict", 0);
    CHECK_EQ(explained(world, EXPLAIN_PATH)->kind, KIND_unbounded_cache);
    CHECK_EQ(world->visit->findings[0].facts[0].id, FACT_keyed_store);
    CHECK_EQ(world->visit->findings[1].kind, KIND_retained);
}

TEST(what_v8_allocates_to_sample_its_heap_is_tares_own)
{
    static const struct place places[] = {
        {.function = "v8::internal::SamplingHeapProfiler::AddSample", .language = LANGUAGE_NATIVE}};
    struct world *world = world_new();
    struct finding *finding = leak(world);

    finding->allocated_at = places;
    finding->allocated_count = 1;
    CHECK_EQ(explained(world, EXPLAIN_SOURCE)->demoted, DEMOTED_none); /* no V8 is there */
    world->visit->runtime = &runtime_js;
    finding = explained(world, EXPLAIN_SOURCE);
    CHECK_EQ(finding->demoted, DEMOTED_own);
    CHECK(world->visit->growth.estimate == 0);
}

TEST(each_store_of_tensorflow_explains_what_a_library_makes)
{
    static const struct {
        enum known_text store;
        enum remedy_name advice;
        enum keeper keeper;
    } cases[] = {{KNOWN_store_gradients, REMEDY_gradient_registry, KEEPER_registry},
                 {KNOWN_store_functions, REMEDY_default_graph, KEEPER_registry},
                 {KNOWN_store_kernels, REMEDY_kernel_cache, KEEPER_cache}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct world *world = world_new();
        struct finding *finding;

        world->model.registry_count = 0;
        gains(world, cases[i].store, TICKS);
        leak(world);
        finding = explained(world, EXPLAIN_SOURCE);
        CHECK_EQ(finding->kind, KIND_unbounded_cache);
        CHECK_EQ(finding->advice, cases[i].advice);
        CHECK_EQ(finding->keeper, cases[i].keeper);
        CHECK_EQ(finding->holder.id, FACT_by_store);
    }
}

TEST(a_store_that_has_stopped_or_that_the_program_keeps_beside_explains_nothing)
{
    static struct holder_step path[3];
    struct world *world = world_new();

    gains(world, KNOWN_store_gradients, TICKS / 2);
    leak(world);
    CHECK_EQ(explained(world, EXPLAIN_SOURCE)->kind, KIND_retained);
    world = world_new();
    world->model.registry_count = 0;
    gains(world, KNOWN_store_gradients, TICKS);
    held(leak(world), path, "/srv/train.py", "list", 0);
    CHECK_EQ(explained(world, EXPLAIN_SOURCE)->kind, KIND_retained);
}

/* A function that is compiled at every tick, called at train.py:20. */
static struct finding *compiles(struct world *world, uint32_t change, uint64_t live)
{
    static const struct place places[] = {{.file = "/srv/m.py", .line = 3},
                                          {.file = "/srv/train.py", .line = 20, .user = true}};
    struct finding *finding = leak(world);

    world->trace = (struct model_trace){.function = "step", .file = "/srv/m.py", .argument = "n",
                                        .call_file = "/srv/train.py", .call_line = 20, .change = change,
                                        .count = TICKS, .live = live, .first = 1, .last = TICKS,
                                        .recent_count = LEDGER_RECENT};
    for (uint64_t i = 0; i < LEDGER_RECENT; i++)
        world->trace.recent[i] = TICKS - LEDGER_RECENT + i + 1;
    world->model.trace_count = 1;
    finding->allocated_at = places;
    finding->allocated_count = 2;
    return explained(world, EXPLAIN_SOURCE);
}

TEST(versions_that_are_kept_are_an_unbounded_cache_with_the_reason_for_each)
{
    struct finding *finding = compiles(world_new(), CHANGE_VALUE, TICKS);

    CHECK_EQ(finding->kind, KIND_unbounded_cache);
    CHECK_EQ(finding->holder.id, FACT_by_versions);
    CHECK_EQ(finding->holder.n[0], TICKS);
    CHECK_EQ(finding->advice, REMEDY_trace_value);
    CHECK(finding->compiles != NULL && !finding->note);
}

TEST(versions_that_are_gone_explain_nothing)
{
    struct finding *finding = compiles(world_new(), CHANGE_SHAPE, 1);

    CHECK_EQ(finding->kind, KIND_retained);
    CHECK(!finding->compiles);
}

TEST(the_little_that_jax_keeps_of_each_compilation_is_a_note)
{
    struct world *world = world_new();
    struct finding *finding;

    world->visit->growth = (struct slope){-3000, -3000, -3000}; /* with the leak: about 1 KB */
    finding = compiles(world, CHANGE_SHAPE, 0);
    CHECK_EQ(finding->advice, REMEDY_trace_pad);
    CHECK_EQ(finding->demoted, DEMOTED_compilations);
}

TEST(a_function_that_the_program_makes_and_stores_is_its_own)
{
    static const struct place stored = {.file = "/srv/train.py", .line = 21};
    struct world *world = world_new();

    leak(world)->stored_at = &stored;
    world->visit->finding_count = 0;
    compiles(world, CHANGE_FUNCTION, TICKS);
    world->visit->findings[0] = (struct finding){.kind = KIND_retained, .site = 1, .stored_at = &stored,
                                                 .allocated_at = world->visit->findings[0].allocated_at,
                                                 .allocated_count = 2};
    CHECK_EQ(explained(world, EXPLAIN_SOURCE)->kind, KIND_retained);
    CHECK(world->visit->findings[0].compiles == &world->trace);
}

TEST(small_records_of_tensorflow_are_a_note_where_no_tensor_is_kept)
{
    struct world *world = world_new();
    struct finding *finding;

    world->registries[0] = (struct model_registry){
        .name = "", .store = KNOWN_store_tensors,
        .record = {.first_count = 40, .count = 40, .most = 42, .rises = 2, .changed = 5, .first = 1,
                   .last = TICKS}};
    world->model.registry_count = 1;
    finding = leak(world);
    world->visit->growth = (struct slope){300, 300, 300};
    CHECK_EQ(explained(world, EXPLAIN_SOURCE)->demoted, DEMOTED_framework_records);
    demote(finding, DEMOTED_none);
    world->visit->growth = (struct slope){100000, 100000, 100000};
    CHECK_EQ(explained(world, EXPLAIN_SOURCE)->demoted, DEMOTED_none);
}

/* ---- a library that loses memory ---- */

static struct finding *lost(struct world *world, const struct native_place *native, size_t count)
{
    struct finding *finding = leak(world);

    finding->kind = KIND_native;
    finding->headline = FACT_OF(leaks, 0);
    finding->advice = REMEDY_release_lost;
    finding->native = native;
    finding->native_count = count;
    return explained(world, EXPLAIN_SOURCE);
}

static const struct native_place in_h5py[] = {
    {.module = "libc.so.6", .installed = true, .serves = true},
    {.module = "libhdf5.so.310", .installed = true},
    {.module = "h5p.so", .installed = true, .packaged = true, .package = "h5py", .version = "3.16.0"}};

TEST(lost_memory_of_a_package_is_the_packages)
{
    const struct finding *finding = lost(world_new(), in_h5py, 3);

    CHECK_EQ(finding->kind, KIND_native);
    CHECK(!finding->note);
    CHECK_TEXT(finding->library, "h5py 3.16.0");
    CHECK_EQ(finding->headline.id, FACT_leaks_in_library);
    CHECK_EQ(finding->advice, REMEDY_lost_in_library_python);
}

TEST(lost_memory_of_a_package_without_a_version_has_its_modules_name)
{
    struct native_place native[3];

    memcpy(native, in_h5py, sizeof(native));
    native[2].package = native[2].version = NULL;
    CHECK_TEXT(lost(world_new(), native, 3)->library, "h5p.so");
}

/* A C program calls libraries itself, and has to release what they return. */
TEST(lost_memory_of_a_library_alone_may_be_the_programs)
{
    CHECK(lost(world_new(), in_h5py, 2)->library == NULL);
}

TEST(lost_memory_with_code_of_the_program_on_its_way_may_be_the_programs)
{
    struct native_place native[3];

    memcpy(native, in_h5py, sizeof(native));
    native[1].installed = false;
    CHECK(lost(world_new(), native, 3)->library == NULL);
    native[1].installed = native[1].foreign = true; /* libffi calls what the program names */
    CHECK(lost(world_new(), native, 3)->library == NULL);
    native[1] = (struct native_place){.module = NULL}; /* compiled at run time */
    CHECK(lost(world_new(), native, 3)->library == NULL);
}

TEST(held_memory_is_not_lost_in_a_library)
{
    struct world *world = world_new();
    struct finding *finding = leak(world);

    finding->native = in_h5py;
    finding->native_count = 3;
    CHECK(explained(world, EXPLAIN_SOURCE)->library == NULL);
    CHECK_EQ(finding->kind, KIND_retained);
}

TEST(bytes_that_are_alive_choose_the_native_part)
{
    struct model_frame frames[4] = {{.kind = FRAME_PYTHON}, {.kind = FRAME_NATIVE}, {.kind = FRAME_NATIVE},
                                    {.kind = FRAME_PYTHON}};
    struct model_site sites[] = {{.stack = 1, .kind = SITE_HEAP, .class_index = 3},
                                 {.stack = 1, .kind = SITE_HEAP, .class_index = 9},
                                 {.stack = 4, .kind = SITE_HEAP}};
    struct model_block blocks[] = {{.site = 1, .weight = 100, .native = 2},
                                   {.site = 2, .weight = 250, .native = 3},
                                   {.site = 1, .weight = 100, .native = 2},
                                   {.site = 3, .weight = 999, .native = 2},
                                   {.site = 2, .weight = 240, .native = 0},
                                   {.site = 0, .weight = 999, .native = 2}};
    const struct model model = {.frames = frames, .frame_count = 4, .sites = sites, .site_count = 3,
                                .blocks = blocks, .block_count = 6};

    CHECK_EQ(native_cause_part(&model, 0), 3);
    CHECK_EQ(native_cause_part(&model, 2), 2);
    blocks[4].weight = 251; /* most have none */
    CHECK_EQ(native_cause_part(&model, 0), 0);
}
