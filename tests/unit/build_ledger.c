/* build_ledger.c - see build_ledger.h. */
#include "build_ledger.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemap.h"
#include "base/mem.h"
#include "ledger/levels.h"
#include "ledger/table.h"
#include "test.h"

#define STEP_COUNT 40

void build_ledger(struct ledger *ledger, const char *name, enum ledger_role role)
{
    const struct ledger_identity identity = {.role = role,
                                             .pid = 4711,
                                             .parent_pid = 4710,
                                             .generation = 1,
                                             .run = 77,
                                             .rate = 65536,
                                             .program = "/usr/bin/train",
                                             .command = "train --fast",
                                             .allocator = "libc.so.6"};
    struct why why = {""};

    if (ledger_create(ledger, test_directory(), name, &identity, &why) != 0)
        test_fail(__FILE__, __LINE__, "ledger_create: %s", why.text);
}

struct step_record build_step(uint64_t ordinal, uint64_t live)
{
    struct step_record step = {.first = ordinal,
                               .last = ordinal,
                               .time = ordinal * 1000,
                               .ticked = 1u << CLOCK_mark,
                               .live_bytes = live,
                               .live_min = live,
                               .live_max = live,
                               .live_blocks = live / 64,
                               .sampled = 1};

    step.clock[CLOCK_mark] = ordinal;
    step.class_blocks[3] = (uint32_t)(live / 64);
    return step;
}

static void add_code(struct ledger *ledger)
{
    const uint8_t table[] = {0x80 | 10 << 3 | 1, 0, 4, 0x80 | 13 << 3, 2, 0x80 | 14 << 3, 4, 0, 1, 2};
    struct code_record code = {.first_line = 3, .version = 0x030b02f0, .table_size = sizeof(table)};

    code.file = ledger_string(ledger, "train.py", 8);
    code.name = ledger_string(ledger, "main", 4);
    code.table = ledger_bytes(ledger, SECTION_line_tables, table, sizeof(table));
    CHECK_EQ(ledger_append(ledger, SECTION_code, &code), 1);
}

static void add_modules_and_stacks(struct ledger *ledger)
{
    struct module_record module = {
        .base = 0x1000, .start = 0x1000, .end = 0x9000, .build_id_size = 20, .loaded = 1};
    struct stack_record *stacks = ledger_records(ledger, SECTION_stacks);

    module.path = ledger_string(ledger, "/usr/bin/train", 14);
    CHECK_EQ(ledger_append(ledger, SECTION_modules, &module), 1);
    module.path = ledger_string(ledger, "/lib/libc.so.6", 14);
    CHECK_EQ(ledger_append(ledger, SECTION_modules, &module), 2);
    add_code(ledger);
    stacks[3] = (struct stack_record){1u << 8 | FRAME_PYTHON, 4};                  /* id 4 */
    stacks[9] = (struct stack_record){2u << 8 | FRAME_NATIVE, 0x10};               /* id 10 */
    stacks[4] = (struct stack_record){10ull << 32 | 1u << 8 | FRAME_NATIVE, 0x20}; /* id 5 */
    stacks[6] = (struct stack_record){5ull << 32 | 1u << 8 | FRAME_NATIVE, 0x30};  /* id 7 */
    stacks[7] = (struct stack_record){5ull << 32 | 1u << 8 | FRAME_NATIVE, 0x40};  /* id 8 */
}

static void add_sites_and_blocks(struct ledger *ledger)
{
    struct site_record *sites = ledger_records(ledger, SECTION_sites);
    struct live_key *keys = ledger_records(ledger, SECTION_live);
    struct block_record *blocks = ledger_records(ledger, SECTION_blocks);

    sites[2] = (struct site_record){.key = 7ull << 16 | 3u << 8 | SITE_HEAP,
                                    .first = 1,
                                    .last = 40,
                                    .births = 5,
                                    .deaths = 3,
                                    .born_weight = 5000,
                                    .dead_weight = 3000,
                                    .peak_weight = 4000,
                                    .peak = 6};
    sites[5] = (struct site_record){.key = 8ull << 16 | 3u << 8 | SITE_HEAP,
                                    .first = 2,
                                    .last = 3,
                                    .births = 1,
                                    .born_weight = 900,
                                    .peak_weight = 1,
                                    .peak = 5};
    blocks[11] = (struct block_record){.size = 64, .weight = 1000, .birth = 9, .site = 3};
    keys[11].address = 0x7000;
    blocks[3] =
        (struct block_record){.size = 64, .weight = 1000, .birth = 30, .site = 3, .grown = 1};
    keys[3].address = 0x8000;
    blocks[700] = (struct block_record){.size = 96, .weight = 900, .birth = 2, .site = 6};
    keys[700].address = 0x6000;
    keys[701].address = 1; /* being filled */
}

static void add_history(struct ledger *ledger)
{
    struct death_record *deaths;

    for (uint64_t i = 1; i <= STEP_COUNT; i++) {
        const struct step_record step = build_step(i, i * 640);

        CHECK(levels_append_step(ledger, &step));
    }
    CHECK(ledger_take(ledger, SECTION_deaths, 2));
    deaths = ledger_records(ledger, SECTION_deaths);
    deaths[0] = (struct death_record){.birth = 1, .death = 9, .site = 3};
    deaths[1] = (struct death_record){.birth = 2, .death = 12, .site = 99};
    ledger_entry(ledger, SECTION_deaths)->used = 2;
}

static void add_rest(struct ledger *ledger)
{
    struct totals_record *totals = ledger_records(ledger, SECTION_totals);
    struct peak_record *peak = ledger_records(ledger, SECTION_peak);
    struct map_record *maps = ledger_records(ledger, SECTION_maps);
    struct scope_record *scopes = ledger_records(ledger, SECTION_scopes);
    const struct intervention_record trim = {.time = 5, .ordinal = 6, .kind = INTERVENTION_TRIM};

    totals->sequence = 2;
    totals->ordinal = STEP_COUNT + 1;
    totals->classes[3] = (struct class_total){
        .born_blocks = 10, .born_bytes = 640, .dead_blocks = 4, .dead_bytes = 256};
    *peak = (struct peak_record){.sequence = 4, .number = 6, .ordinal = 30, .weight = 4900};
    maps[40] = (struct map_record){
        .start = 0x10000, .length = 4096, .birth = 3, .site = 3, .kind = SITE_MAP};
    scopes[0] = (struct scope_record){
        .name = ledger_string(ledger, "epoch", 5), .entered = 2, .left = 1, .kept = -5};
    CHECK_EQ(ledger_append(ledger, SECTION_interventions, &trim), 1);
    ledger_note(ledger, 7, "a note");
    ledger_lose(ledger, LOST_reentered, 3);
    ledger_state(ledger, STATE_RUNNING);
}

void build_small_process(struct ledger *ledger, const char *name)
{
    build_ledger(ledger, name, ROLE_PROCESS);
    add_modules_and_stacks(ledger);
    add_sites_and_blocks(ledger);
    add_history(ledger);
    add_rest(ledger);
}

void build_small_run(struct ledger *ledger, const char *name)
{
    struct process_record process = {.pid = 4711, .start = 1, .flags = PROCESS_ROOT};
    struct limit_record limit = {.kind = LIMIT_CGROUP, .bytes = 1 << 30};
    const struct account_record account = {.pid = 4711, .resident = 4096};

    build_ledger(ledger, name, ROLE_RUN);
    process.name = ledger_string(ledger, "train", 5);
    CHECK_EQ(ledger_append(ledger, SECTION_processes, &process), 1);
    process = (struct process_record){.pid = 4712, .start = 2};
    process.untraced = ledger_string(ledger, "a static program", 16);
    CHECK_EQ(ledger_append(ledger, SECTION_processes, &process), 2);
    limit.path = ledger_string(ledger, "/user.slice", 11);
    CHECK_EQ(ledger_append(ledger, SECTION_limits, &limit), 1);
    CHECK_EQ(ledger_append(ledger, SECTION_accounts, &account), 1);
    for (uint64_t i = 1; i <= 30; i++) {
        const struct sample_record sample = {.first = i, .last = i, .resident = i * 4096};

        CHECK(levels_append(ledger, SECTION_samples, SECTION_sample_levels, &sample, sample_merge));
    }
}

/* ---- the largest ---- */

static void take_all(struct ledger *ledger)
{
    for (unsigned n = 0; n < LEDGER_SECTIONS_MAX; n++) {
        struct section_entry *entry = ledger_entry(ledger, (enum section)n);

        if (entry->capacity > 0) {
            CHECK(ledger_take(ledger, (enum section)n, entry->capacity));
            entry->used = entry->capacity;
        }
    }
}

static void fill_tables(struct ledger *ledger)
{
    const uint64_t stack_count = ledger_entry(ledger, SECTION_stacks)->capacity;
    const uint64_t site_count = ledger_entry(ledger, SECTION_sites)->capacity;
    const uint64_t live_count = ledger_entry(ledger, SECTION_live)->capacity;
    struct stack_record *stacks = ledger_records(ledger, SECTION_stacks);
    struct site_record *sites = ledger_records(ledger, SECTION_sites);
    struct live_key *keys = ledger_records(ledger, SECTION_live);
    struct block_record *blocks = ledger_records(ledger, SECTION_blocks);

    for (uint64_t i = 0; i < stack_count; i++)
        stacks[i] =
            (struct stack_record){(i % 100 ? i : 0) << 32 | (i % 4096 + 1) << 8 | FRAME_NATIVE, i};
    for (uint64_t i = 0; i < site_count; i++)
        sites[i] = (struct site_record){
            .key = (i + 1) << 16 | i % 64 << 8 | SITE_HEAP, .births = i, .born_weight = i * 64};
    for (uint64_t i = 0; i < live_count; i++) {
        blocks[i] = (struct block_record){.size = 64,
                                          .weight = 4096,
                                          .birth = i % 999 + 1,
                                          .site = (uint32_t)(i % site_count) + 1};
        keys[i].address = table_hash(i) | 2;
    }
}

void build_full_process(struct ledger *ledger, const char *name)
{
    struct death_record *deaths;
    struct level_record *levels;
    struct packed_step *steps;
    uint64_t at = 0, ordinal = 1;

    build_ledger(ledger, name, ROLE_PROCESS);
    take_all(ledger);
    fill_tables(ledger);
    deaths = ledger_records(ledger, SECTION_deaths);
    for (uint64_t i = 0; i < ledger_entry(ledger, SECTION_deaths)->capacity; i++)
        deaths[i] = (struct death_record){.birth = i + 1, .death = i + 9, .site = 1};
    levels = ledger_records(ledger, SECTION_step_levels);
    steps = ledger_records(ledger, SECTION_steps);
    for (unsigned level = LEVELS_COUNT; level-- > 0;) {
        levels[level] = (struct level_record){.head = 0, .tail = levels_size(level)};
        for (at = levels_start(level); at < levels_start(level) + levels_size(level); at++) {
            struct step_record step = build_step(ordinal, 640);

            step.last = ordinal + (1ull << level) - 1;
            step_pack(&steps[at], &step);
            ordinal = step.last + 1;
        }
    }
}

const void *build_view(const struct ledger *ledger)
{
    struct filemap map;
    struct why why = {""};

    if (filemap_open(&map, AT_FDCWD, ledger->path, &why) != 0)
        test_fail(__FILE__, __LINE__, "filemap_open: %s", why.text);
    return map.bytes;
}

uint8_t *build_read(const char *path, size_t *size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    uint8_t *bytes;

    CHECK(fd >= 0 && fstat(fd, &info) == 0);
    *size = (size_t)info.st_size;
    bytes = mem_zalloc(*size);
    CHECK(bytes);
    CHECK_EQ(read(fd, bytes, *size), info.st_size);
    (void)close(fd);
    return bytes;
}
