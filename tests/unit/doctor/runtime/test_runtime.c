/* What differs between the languages, on ledgers made by hand. */
#include "doctor/measure/cohort.h"
#include "doctor/measure/collected.h"
#include "doctor/runtime/runtimes.h"
#include "fake.h"
#include "test.h"

TEST(the_runtime_follows_from_what_ran)
{
    struct fake *fake = fake_leak(10);
    struct model *model = &fake->model;

    CHECK(runtime_of(model) == &runtime_native);
    model->code_count = 3;
    CHECK(runtime_of(model) == &runtime_python);
    model->script_count = 1;
    CHECK(runtime_of(model) == &runtime_js);
    model->script_count = model->code_count = 0;
    fake->steps[9].gauges[GAUGE_heap_used] = 1 << 20; /* the adapter reports a heap, and no line was needed */
    CHECK(runtime_of(model) == &runtime_js);
    model->code_count = 3; /* a Python program that embeds something with a heap */
    CHECK(runtime_of(model) == &runtime_python);
    model->step_count = model->code_count = 0;
    CHECK(runtime_of(model) == &runtime_native);
}

/* A look at a process with one collection, and a cohort of its only site. */
static bool is_unproven(const struct runtime *runtime, const struct fake *fake, struct collected collected)
{
    struct visit *visit = fake_visit(fake);
    const struct cohort cohort = {.site = 0, .first = 20, .last = 80, .rate = {SIZE, SIZE, SIZE}};
    bool unproven;

    unproven = runtime->unproven(&collected, visit, &cohort);
    visit_free(visit);
    return unproven;
}

TEST(a_release_at_the_end_alone_proves_nothing_in_any_language)
{
    const struct collected late = {.asked = true, .late = true, .released = 9, .alive = 1};
    const struct collected kept = {.asked = true, .late = true, .released = 1, .alive = 9};
    const struct fake *fake = fake_leak(100);

    CHECK(is_unproven(&runtime_native, fake, late) && !is_unproven(&runtime_native, fake, kept));
    CHECK(is_unproven(&runtime_python, fake, late) && !is_unproven(&runtime_python, fake, kept));
    CHECK(is_unproven(&runtime_js, fake, late) && !is_unproven(&runtime_js, fake, kept));
}

TEST(javascript_needs_a_collection_that_examined_the_blocks)
{
    const struct collected none = {.script = true};
    const struct collected met = {.script = true, .asked = true, .alive = 60, .made = 95};
    const struct collected set_up = {.script = true, .asked = true, .alive = 60, .made = 3};
    const struct fake *fake = fake_leak(100);

    CHECK(is_unproven(&runtime_js, fake, none));
    CHECK(!is_unproven(&runtime_js, fake, met));
    CHECK(is_unproven(&runtime_js, fake, set_up)); /* too few of the blocks were there */
    CHECK(!is_unproven(&runtime_python, fake, (struct collected){.asked = false}));
}

TEST(an_early_collection_that_released_as_much_may_have_met_the_same_garbage)
{
    const struct collected before_all = {.asked = true};
    struct fake *fake = fake_leak(100);
    struct intervention_record collection = {
        .kind = INTERVENTION_COLLECT, .ordinal = 50, .live_before = 50 * SIZE, .live_after = 0};

    fake->model.interventions = &collection;
    fake->model.intervention_count = 1;
    CHECK(is_unproven(&runtime_python, fake, before_all));
    collection.live_before = SIZE; /* it released next to nothing */
    CHECK(!is_unproven(&runtime_python, fake, before_all));
    collection.live_before = 50 * SIZE;
    collection.ordinal = 5; /* in the set-up */
    CHECK(!is_unproven(&runtime_python, fake, before_all));
}

TEST(only_managed_memory_has_the_floor_of_records)
{
    CHECK(!runtime_native.managed && runtime_python.managed && runtime_js.managed);
    CHECK(!runtime_native.own_heap && !runtime_python.own_heap && runtime_js.own_heap);
    CHECK(runtime_native.doubts_late_search && runtime_python.doubts_late_search);
    CHECK(!runtime_js.doubts_late_search);
}

TEST(every_runtime_answers_every_question)
{
    static const struct runtime *const all[] = {&runtime_native, &runtime_python, &runtime_js};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        CHECK(all[i]->name && all[i]->present && all[i]->collected && all[i]->end_fall);
        CHECK(all[i]->take_out_garbage && all[i]->unproven && all[i]->waits && all[i]->stayed);
        CHECK(all[i]->bookkeeping && all[i]->pages && all[i]->own && all[i]->heap_full && all[i]->add_notes);
        CHECK(all[i]->lag_remedy != REMEDY_none);
    }
}
