/* fake.c - see fake.h. */
#include "fake.h"

#include "base/arena.h"
#include "doctor/run/examine.h"
#include "doctor/source/places.h"
#include "doctor/source/source.h"
#include "doctor/source/symbols.h"
#include "test.h"

struct fake *fake_new(void)
{
    static struct fake only; /* each test has a process of its own */
    struct fake *fake = &only;

    memset(fake, 0, sizeof(*fake));
    fake->frame = (struct model_frame){.kind = FRAME_NATIVE, .offset = 1};
    fake->site = (struct model_site){
        .stack = 1, .class_index = ledger_class(SIZE), .kind = SITE_HEAP, .first = 1};
    fake->model.program = fake->model.command = fake->model.allocator = "";
    fake->model.off_reason = "";
    fake->model.sites = &fake->site;
    fake->model.frames = &fake->frame;
    fake->model.steps = fake->steps;
    fake->model.blocks = fake->blocks;
    fake->model.deaths = fake->deaths;
    fake->model.site_count = fake->model.frame_count = 1;
    fake->model.head.page_size = 4096;
    fake->model.head.watched = 1ull << ledger_class(SIZE);
    fake->model.totals.watched_since[ledger_class(SIZE)] = 1;
    return fake;
}

void fake_step(struct fake *fake, uint32_t alive)
{
    struct step_record *step = &fake->steps[fake->model.step_count];
    struct class_total *total = &fake->model.totals.classes[ledger_class(SIZE)];

    CHECK(fake->model.step_count < STEPS_MAX);
    step->first = step->last = ++fake->model.step_count;
    step->time = step->first * SECOND;
    step->clock[CLOCK_mark] = step->first;
    step->class_blocks[ledger_class(SIZE)] = alive;
    step->live_bytes = step->live_min = step->live_max = (uint64_t)alive * SIZE;
    step->live_blocks = alive;
    total->born_blocks = alive;
    total->born_bytes = (uint64_t)alive * SIZE;
}

void fake_block(struct fake *fake, uint64_t birth)
{
    fake->blocks[fake->model.block_count++] = (struct model_block){
        .address = 16 * birth, .size = SIZE, .weight = SIZE, .birth = birth, .site = 1};
    fake->site.births++;
    fake->site.last = birth;
    fake->site.born_weight += SIZE;
    fake->site.live_weight += SIZE;
}

void fake_death(struct fake *fake, uint64_t birth, uint64_t death)
{
    fake->deaths[fake->model.death_count++] =
        (struct death_record){.birth = birth, .death = death, .site = 1, .size = SIZE};
    fake->model.deaths_seen++;
    fake->site.births++;
    fake->site.deaths++;
    fake->site.born_weight += SIZE;
}

struct fake *fake_leak(unsigned steps)
{
    struct fake *fake = fake_new();

    for (unsigned i = 1; i <= steps; i++) {
        fake_block(fake, i);
        fake_step(fake, i);
    }
    return fake;
}

struct process_report judged(const struct fake *fake, const struct run *run)
{
    static struct arena *arenas[4]; /* the reports of a test live as long as it does */
    static unsigned used;
    struct process_report report = {.pid = 0};
    struct why why = {""};

    CHECK(used < 4);
    arenas[used] = arena_new();
    CHECK_EQ(examine_process(&report, &fake->model, run, NULL, arenas[used++], &why), 0);
    return report;
}

struct visit *fake_visit(const struct fake *fake)
{
    struct visit *visit = visit_new(&fake->model, NULL, NULL, arena_new());

    CHECK(visit != NULL);
    clock_choose(&visit->clock, visit->model, visit->arena);
    series_build(&visit->series, visit->model, &visit->clock, visit->scratch);
    return visit;
}

struct places *fake_places(struct fake *fake, const unsigned *lines, size_t count)
{
    static struct model_code code[8];
    static struct model_frame frames[8];
    struct arena *arena = arena_new();

    CHECK(count <= 8);
    for (uint32_t i = 0; i < count; i++) {
        code[i] = (struct model_code){.file = "/app/a.py", .name = "main", .first_line = lines[i]};
        frames[i] = (struct model_frame){.kind = FRAME_PYTHON, .unit = i + 1, .offset = FRAME_NOT_BEGUN};
    }
    fake->model.code = code;
    fake->model.frames = frames;
    fake->model.code_count = fake->model.frame_count = count;
    return places_new(&fake->model, symbols_new(arena), sources_new(NULL, arena), arena);
}

const struct fact *fake_fact(const struct finding *finding, enum fact_id id)
{
    for (unsigned i = 0; i < finding->fact_count; i++)
        if (finding->facts[i].id == id)
            return &finding->facts[i];
    return NULL;
}

struct fake *fake_collected(uint64_t freed)
{
    static struct intervention_record collection;
    struct fake *fake = fake_leak(60);

    for (unsigned i = 0; i < 60; i++)
        fake_death(fake, fake->blocks[i].birth, 61);
    fake->model.block_count = 0;
    collection = (struct intervention_record){
        .kind = INTERVENTION_COLLECT, .ordinal = 61, .live_before = 1000000,
        .live_after = 1000000 - freed};
    fake->model.interventions = &collection;
    fake->model.intervention_count = 1;
    return fake;
}

void fake_script(struct fake *fake)
{
    for (unsigned i = 0; i < fake->model.step_count; i++) {
        fake->steps[i].gauges[GAUGE_heap_used] = 1000000;
        fake->steps[i].ticked = 1u << CLOCK_mark;
    }
    fake->model.head.state = STATE_LAST_ROUND;
}
