/* test_model.c - a ledger as arrays. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "build_ledger.h"
#include "ledger/levels.h"
#include "ledger/model.h"
#include "test.h"

static struct model *load(const struct ledger *ledger)
{
    struct model *model = NULL;
    struct why why = {""};

    if (model_load(&model, build_view(ledger), (size_t)ledger->size, &why) != 0)
        test_fail(__FILE__, __LINE__, "model_load: %s", why.text);
    return model;
}

TEST(model_holds_what_a_small_process_wrote)
{
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    m = load(&ledger);
    CHECK_TEXT(m->program, "/usr/bin/train");
    CHECK_TEXT(m->command, "train --fast");
    CHECK_TEXT(m->allocator, "libc.so.6");
    CHECK_TEXT(m->off_reason, "");
    CHECK_EQ(m->module_count, 2);
    CHECK_TEXT(m->modules[1].path, "/lib/libc.so.6");
    CHECK_EQ(m->modules[1].build_id_size, 20);
    CHECK_EQ(m->frame_count, 10);
    CHECK_EQ(m->frames[6].caller, 5);
    CHECK_EQ(m->frames[4].caller, 10);
    CHECK_EQ(m->frames[9].caller, 0);
    CHECK_EQ(m->frames[9].unit, 2);
    CHECK_EQ(m->frames[6].offset, 0x30);
    CHECK_EQ(m->frames[0].kind, 0);
    CHECK_EQ(m->intervention_count, 1);
    CHECK_EQ(m->scope_count, 1);
    CHECK_TEXT(m->scopes[0].name, "epoch");
    CHECK_EQ(m->scopes[0].kept, -5);
    CHECK_EQ(m->note_count, 1);
    CHECK_TEXT(m->notes[0].text, "a note");
    CHECK_EQ(m->notes[0].known, KNOWN_none);
    CHECK_EQ(m->lost[LOST_reentered], 3);
    CHECK_EQ(model_live_bytes(m), 384);
    CHECK_EQ(model_live_blocks(m), 6);
    CHECK_EQ(model_class_blocks(m, 3), 6);
    CHECK_EQ(model_class_bytes(m, 4), 0);
    CHECK(!m->cut);
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_has_the_costs_of_a_process_or_knows_that_they_are_missing)
{
    struct section_entry entry;
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    ((struct cost_record *)ledger_records(&ledger, SECTION_costs))[COST_collect] =
        (struct cost_record){.count = 2, .copy_ns = 7, .bytes = 208};
    m = load(&ledger);
    CHECK(m->costs_known);
    CHECK_EQ(m->costs[COST_collect].count, 2);
    CHECK_EQ(m->costs[COST_collect].bytes, 208);
    CHECK_EQ(m->costs[COST_trim].count, 0);
    model_free(m);
    entry = *ledger_entry(&ledger, SECTION_costs);
    *ledger_entry(&ledger, SECTION_costs) = (struct section_entry){0}; /* as an older probe wrote it */
    m = load(&ledger);
    CHECK(!m->costs_known);
    CHECK_EQ(m->costs[COST_collect].count, 0);
    model_free(m);
    *ledger_entry(&ledger, SECTION_costs) = entry;
    ledger_close(&ledger);
}

/* The live slot that a test puts a block into; the writer has given it room. */
static void put_block(struct ledger *ledger, uint64_t slot, const struct block_record *block)
{
    struct live_key *keys = ledger_records(ledger, SECTION_live);
    struct block_record *blocks = ledger_records(ledger, SECTION_blocks);

    keys[slot].address = 0x700000 + slot;
    blocks[slot] = *block;
}

TEST(model_reads_the_native_part_of_a_block)
{
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    put_block(&ledger, 100, &(struct block_record){.size = 64, .weight = 64, .birth = 1, .native = 7});
    put_block(&ledger, 101, &(struct block_record){.size = 64, .weight = 64, .birth = 1, .native = 1});
    put_block(&ledger, 102, &(struct block_record){.size = 64, .weight = 64, .birth = 1, .native = 1u << 30});
    m = load(&ledger);
    CHECK_EQ(m->blocks[m->block_count - 3].native, 7);
    CHECK_EQ(m->blocks[m->block_count - 2].native, 0); /* a free slot of the stacks */
    CHECK_EQ(m->blocks[m->block_count - 1].native, 0); /* beyond the table */
    CHECK(model_is_valid(m));
    m->blocks[m->block_count - 1].native = 1;
    CHECK(!model_is_valid(m));
    model_free(m);
    ledger_close(&ledger);
}

/* Of a version 2 before blocks had a native part: their records are 8 bytes shorter. */
TEST(model_reads_blocks_without_a_native_part)
{
    const uint32_t size = offsetof(struct block_record, native);
    struct ledger ledger;
    struct model *m;
    uint8_t *blocks;

    build_small_process(&ledger, "1.0.tare");
    blocks = ledger_records(&ledger, SECTION_blocks);
    for (uint64_t i = 0; i < ledger_entry(&ledger, SECTION_blocks)->used; i++)
        memmove(blocks + i * size, blocks + i * sizeof(struct block_record), size);
    ledger_entry(&ledger, SECTION_blocks)->record_size = size;
    m = load(&ledger);
    CHECK_EQ(m->block_count, 3);
    for (size_t i = 0; i < m->block_count; i++) {
        CHECK(m->blocks[i].size > 0 && m->blocks[i].site > 0);
        CHECK_EQ(m->blocks[i].native, 0);
    }
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_reads_the_packages_of_a_run)
{
    static const char path[] = "/env/lib/python3.11/site-packages/h5py";
    static const char name[] = "h5py", version[] = "3.16.0";
    struct package_record record = {.spare = 0};
    struct ledger ledger;
    struct model *m;

    build_ledger(&ledger, "run.tare", ROLE_RUN);
    record.path = ledger_string(&ledger, path, strlen(path));
    record.name = ledger_string(&ledger, name, strlen(name));
    record.version = ledger_string(&ledger, version, strlen(version));
    CHECK(ledger_append(&ledger, SECTION_packages, &record) > 0);
    m = load(&ledger);
    CHECK_EQ(m->package_count, 1);
    CHECK_TEXT(m->packages[0].path, path);
    CHECK_TEXT(m->packages[0].name, name);
    CHECK_TEXT(m->packages[0].version, version);
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_knows_the_texts_that_the_doctor_decides_by)
{
    CHECK_EQ(known_text_of("EagerTensor", true), KNOWN_store_tensors);
    CHECK_EQ(known_text_of("EagerTensors", true), KNOWN_none);
    CHECK_EQ(known_text_of("With --try dispose: no TensorFlow.js was there.", false), KNOWN_note_tried);
    CHECK_EQ(known_text_of("With --try", false), KNOWN_none);
    CHECK_EQ(known_text_of("", false), KNOWN_none);
}

TEST(model_gives_no_frame_beyond_its_tables)
{
    struct model_frame frames[] = {{.kind = FRAME_JS}, {.kind = FRAME_NATIVE, .caller = 1}};
    struct model_site sites[] = {{.stack = 2}, {.stack = 0}, {.stack = 3}};
    const struct model model = {.frames = frames, .frame_count = 2, .sites = sites, .site_count = 3};

    CHECK(model_site_frame(&model, 0) == &frames[1]);
    CHECK(model_frame(&model, frames[1].caller) == &frames[0]);
    CHECK(!model_site_frame(&model, 1) && !model_site_frame(&model, 2) && !model_site_frame(&model, 3));
    CHECK_EQ(model_frame_kind(model_site_frame(&model, 0)), FRAME_NATIVE);
    CHECK_EQ(model_frame_kind(NULL), 0);
}

TEST(model_joins_sites_blocks_and_deaths)
{
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    m = load(&ledger);
    CHECK_EQ(m->block_count, 3);
    CHECK_EQ(m->blocks[0].address, 0x6000);
    CHECK_EQ(m->blocks[1].address, 0x7000);
    CHECK_EQ(m->blocks[2].address, 0x8000);
    CHECK_EQ(m->blocks[2].grown, 1);
    CHECK_EQ(m->blocks[1].site, 3);
    CHECK_EQ(m->site_count, 6);
    CHECK_EQ(m->sites[2].stack, 7);
    CHECK_EQ(m->sites[2].class_index, 3);
    CHECK_EQ(m->sites[2].live_blocks, 2);
    CHECK_EQ(m->sites[2].live_bytes, 128);
    CHECK_EQ(m->sites[2].live_weight, 2000);
    CHECK_EQ(m->sites[2].peak_weight, 4000); /* marked with the peak */
    CHECK_EQ(m->sites[5].peak_weight, 900);  /* marked before it: what lives */
    CHECK_EQ(m->sites[1].kind, 0);
    CHECK_EQ(m->death_count, 2);
    CHECK_EQ(m->deaths[0].site, 3);
    CHECK_EQ(m->deaths[1].site, 0); /* there is no site 99 */
    CHECK_EQ(m->map_count, 1);
    CHECK_EQ(m->maps[0].site, 3);
    CHECK_EQ(m->step_count, 40);
    CHECK_EQ(m->steps[39].live_bytes, 40 * 640);
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_holds_what_a_small_run_wrote)
{
    struct ledger ledger;
    struct model *m;

    build_small_run(&ledger, "run.tare");
    m = load(&ledger);
    CHECK_EQ(m->process_count, 2);
    CHECK_TEXT(m->process_names[0], "train");
    CHECK(!m->process_untraced[0]);
    CHECK_TEXT(m->process_names[1], "");
    CHECK_TEXT(m->process_untraced[1], "a static program");
    CHECK_EQ(m->limit_count, 1);
    CHECK_TEXT(m->limit_paths[0], "/user.slice");
    CHECK_EQ(m->account_count, 1);
    CHECK_EQ(m->sample_count, 30);
    CHECK_EQ(m->samples[29].resident, 30 * 4096);
    CHECK_EQ(m->step_count, 0);
    model_free(m);
    ledger_close(&ledger);
}

/* ---- forged ledgers ---- */

TEST(model_stacks_end_also_where_they_are_forged_into_circles)
{
    struct ledger ledger;
    struct stack_record *stacks;
    struct model *m;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    stacks = ledger_records(&ledger, SECTION_stacks);
    for (uint64_t i = 0; i < 2000; i++) /* one long chain, its end tied to its beginning */
        stacks[i] = (struct stack_record){((i + 1) % 2000 + 1) << 32 | FRAME_NATIVE, i};
    stacks[2000] = (struct stack_record){2001ull << 32 | FRAME_JS, 1};       /* calls itself */
    stacks[2001] = (struct stack_record){0xffffffffull << 32 | FRAME_JS, 1}; /* called by nobody */
    stacks[2002] = (struct stack_record){FRAME_BUSY, 1};
    stacks[2003] = (struct stack_record){2003ull << 32 | 0xffffffu << 8 | FRAME_NATIVE, 1};
    m = load(&ledger);
    CHECK_EQ(m->frame_count, 2004);
    for (size_t i = 0; i < m->frame_count; i++) {
        uint32_t id = (uint32_t)i + 1;
        int depth = 0;

        for (; id != 0; id = m->frames[id - 1].caller) {
            CHECK(id <= m->frame_count);
            CHECK(++depth <= MODEL_DEPTH_MAX);
        }
    }
    CHECK_EQ(m->frames[2000].caller, 0);
    CHECK_EQ(m->frames[2001].caller, 0);
    CHECK_EQ(m->frames[2002].kind, 0);
    CHECK_EQ(m->frames[2003].caller, 0); /* its caller was being filled */
    CHECK_EQ(m->frames[2003].unit, 0);   /* there is no such module */
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_knows_python_functions_and_believes_none_of_their_numbers)
{
    const uint8_t table[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct ledger ledger;
    struct stack_record *stacks;
    struct code_record code = {.first_line = 12, .version = 0x030b02f0};
    struct model *m;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    code.file = ledger_string(&ledger, "/srv/app/train.py", 17);
    code.name = ledger_string(&ledger, "Net.forward", 11);
    code.table = ledger_bytes(&ledger, SECTION_line_tables, table, sizeof(table));
    code.table_size = sizeof(table);
    CHECK_EQ(code.table, 1);
    CHECK_EQ(ledger_append(&ledger, SECTION_code, &code), 1);
    code = (struct code_record){.file = 0xfffffff0u, .name = 0, .table = 2, .table_size = 9};
    CHECK_EQ(ledger_append(&ledger, SECTION_code, &code), 2);
    code = (struct code_record){.table = 0xffffffffu, .table_size = 0xffffffffu};
    CHECK_EQ(ledger_append(&ledger, SECTION_code, &code), 3);
    CHECK_EQ(ledger_bytes(&ledger, SECTION_line_tables, table, 0), 0);
    stacks = ledger_records(&ledger, SECTION_stacks);
    stacks[0] = (struct stack_record){3u << 8 | FRAME_PYTHON, 2};
    stacks[1] = (struct stack_record){4u << 8 | FRAME_PYTHON, 2}; /* there is no such function */
    m = load(&ledger);
    CHECK_EQ(m->code_count, 3);
    CHECK_TEXT(m->code[0].file, "/srv/app/train.py");
    CHECK_TEXT(m->code[0].name, "Net.forward");
    CHECK_EQ(m->code[0].first_line, 12);
    CHECK_EQ(m->code[0].table_size, sizeof(table));
    CHECK(memcmp(m->code[0].table, table, sizeof(table)) == 0);
    CHECK_TEXT(m->code[1].file, "");
    CHECK_EQ(m->code[1].table_size, 0); /* it would end behind the last unit */
    CHECK_EQ(m->code[2].table_size, 0);
    CHECK_EQ(m->frames[0].unit, 3);
    CHECK_EQ(m->frames[1].unit, 0);
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_leaves_out_what_makes_no_sense)
{
    struct ledger ledger;
    struct map_record *maps;
    struct packed_step *steps;
    struct live_key *keys;
    struct block_record *blocks;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    maps = ledger_records(&ledger, SECTION_maps);
    maps[0] = (struct map_record){.start = UINT64_MAX, .length = 4096};
    maps[1] = (struct map_record){.start = 4096, .length = 0};
    steps = ledger_records(&ledger, SECTION_steps);
    steps[10].first = 0;
    steps[11].last = 3;
    steps[12].first = 5;
    keys = ledger_records(&ledger, SECTION_live);
    blocks = ledger_records(&ledger, SECTION_blocks);
    keys[20].address = 0x7000; /* twice, and younger */
    blocks[20] = (struct block_record){.birth = 39, .site = 1};
    m = load(&ledger);
    CHECK_EQ(m->map_count, 1);
    CHECK_EQ(m->step_count, 37);
    CHECK_EQ(m->steps[9].last, 10);
    CHECK_EQ(m->steps[10].first, 14);
    CHECK_EQ(m->block_count, 3);
    CHECK_EQ(m->blocks[1].birth, 39);
    CHECK_EQ(m->blocks[1].site, 0); /* an empty slot is no site */
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_keeps_the_newest_deaths_of_a_ring_that_turned_over)
{
    struct ledger ledger;
    struct section_entry *entry;
    struct death_record *deaths;
    struct model *m;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    entry = ledger_entry(&ledger, SECTION_deaths);
    CHECK(ledger_take(&ledger, SECTION_deaths, entry->capacity));
    deaths = ledger_records(&ledger, SECTION_deaths);
    entry->used = entry->capacity + 10;
    for (uint64_t i = 0; i < entry->used; i++)
        deaths[i % entry->capacity] = (struct death_record){.birth = i + 1, .death = i + 5};
    m = load(&ledger);
    CHECK_EQ(m->deaths_seen, entry->capacity + 10);
    CHECK_EQ(m->death_count, entry->capacity);
    CHECK_EQ(m->deaths[0].birth, 11);
    CHECK_EQ(m->deaths[m->death_count - 1].birth, entry->used);
    model_free(m);
    ledger_close(&ledger);
}

/* A writer killed inside totals leaves the sequence odd; what is there is used all the same. */
TEST(model_takes_totals_of_a_writer_that_died_in_them)
{
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    ((struct totals_record *)ledger_records(&ledger, SECTION_totals))->sequence = 3;
    m = load(&ledger);
    CHECK_EQ(m->totals.sequence, 3);
    CHECK_EQ(model_live_blocks(m), 6);
    model_free(m);
    ledger_close(&ledger);
}

/* ---- memory and time ---- */

TEST(model_loads_or_says_no_memory_whichever_request_fails)
{
    struct ledger process, run;
    unsigned long n = 0, refused = 0;
    int err = ERR_NOMEM;

    build_small_process(&process, "1.0.tare");
    build_small_run(&run, "run.tare");
    while (n < 40) {
        struct model *model = NULL;
        struct why why = {""};
        int err_run;

        mem_fail_at(++n);
        err = model_load(&model, process.head, (size_t)process.size, &why);
        refused += err == ERR_NOMEM;
        CHECK(err == 0 || err == ERR_NOMEM);
        CHECK_EQ(err == 0, model != NULL);
        model_free(model);
        mem_fail_at(n);
        err_run = model_load(&model, run.head, (size_t)run.size, &why);
        mem_fail_at(0);
        CHECK(err_run == 0 || err_run == ERR_NOMEM);
        CHECK_EQ(err_run == 0, model != NULL);
        model_free(model);
    }
    CHECK_EQ(err, 0);
    CHECK(refused > 10 && refused < 40); /* the requests were counted, and all of them */
    ledger_close(&process);
    ledger_close(&run);
}

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long resident_peak_kb(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(model_of_the_largest_ledger_takes_under_100_MB_and_a_second)
{
    struct ledger ledger;
    struct model *m = NULL;
    struct why why = {""};
    char path[LEDGER_PATH_MAX];
    double begin;
    pid_t builder = fork();

    (void)snprintf(path, sizeof(path), "%s/1.0.tare", test_directory());
    if (builder == 0) { /* so that the pages of the builder are not counted */
        build_full_process(&ledger, "1.0.tare");
        _exit(0);
    }
    CHECK_EQ(waitpid(builder, NULL, 0), builder);
    begin = seconds();
    CHECK_EQ(model_load_file(&m, path, &why), 0);
    CHECK(seconds() - begin < (test_is_sanitized() ? 10 : 1));
    CHECK(test_is_sanitized() || resident_peak_kb() < 100 * 1000);
    CHECK_EQ(m->block_count, 256 * 1024);
    CHECK_EQ(m->step_count, LEVELS_FIRST + (LEVELS_COUNT - 1) * LEVELS_LATER);
    CHECK_EQ(m->site_count, 64 * 1024);
    model_free(m);
}

/* A model is read again and again while the program writes; it is sound every time. */
TEST(model_is_sound_while_the_program_writes)
{
    struct ledger ledger;
    pid_t writer;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    writer = fork();
    if (writer == 0)
        for (uint64_t i = 1;; i++) {
            const struct step_record step = build_step(i, i * 64);

            if (!levels_append_step(&ledger, &step))
                _exit(1);
        }
    for (int round = 0; round < 60; round++) {
        struct model *m = load(&ledger);

        for (size_t i = 0; i < m->step_count; i++) {
            CHECK_EQ(m->steps[i].first, i == 0 ? 1 : m->steps[i - 1].last + 1);
            CHECK_EQ(m->steps[i].live_bytes, m->steps[i].last * 64);
            CHECK_EQ(m->steps[i].live_min, m->steps[i].first * 64);
        }
        model_free(m);
    }
    (void)kill(writer, SIGKILL);
    (void)waitpid(writer, NULL, 0);
    ledger_close(&ledger);
}

TEST(a_model_with_an_id_out_of_range_is_not_valid)
{
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    m = load(&ledger);
    CHECK(model_is_valid(m));
    m->frames[6].caller = 7; /* a stack that does not end */
    CHECK(!model_is_valid(m));
    m->frames[6].caller = 5;
    m->frames[6].unit = 3;
    CHECK(!model_is_valid(m));
    m->frames[6].unit = 1;
    m->sites[2].stack = 1; /* an empty slot of the table */
    CHECK(!model_is_valid(m));
    m->sites[2].stack = 7;
    m->blocks[0].site = 4;
    CHECK(!model_is_valid(m));
    m->blocks[0].site = 0;
    CHECK(model_is_valid(m));
    m->steps[5].first = m->steps[4].last; /* spans overlap */
    CHECK(!model_is_valid(m));
    model_free(m);
    ledger_close(&ledger);
}
