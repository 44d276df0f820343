/* make_ledger.c - writes the ledgers of a small run that never happened, with stacks that did.
 *
 *     make_ledger DIRECTORY plain|hostile|full
 *
 * The stacks are of this program: `leak` keeps 4,096 bytes at every step, `churn` keeps nothing,
 * `table` was made once, of two blocks of different size. On standard output, as JSON, the lines a
 * report must name.
 */
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/levels.h"
#include "ledger/table.h"
#include "ledger/writer.h"

#define STEPS     100
#define DEPTH     32
#define ROOT_PID  4000
#define CHILD_PID 4001
#define SECOND    1000000000ull

struct stack {
    void *frames[DEPTH];
    int count;
    unsigned line;
};

static const char hostile[] =
    "x\033]0;owned\a\r\n\t\xff\xfe\xc3\xe2\x80\xae\xe2\x81\xa6<script>\"\\";

/* A stack from another file that may be linked in; returns the line it belongs to. */
__attribute__((weak)) unsigned extra_stack(void **frames, int depth, int *count);

/* ---- stacks ---- */

__attribute__((noinline)) static void capture(struct stack *stack)
{
    stack->count = backtrace(stack->frames, DEPTH);
    __asm__ volatile("" ::: "memory");
}

__attribute__((always_inline)) static inline void inlined(struct stack *stack)
{
    stack->line = __LINE__ + 1;
    capture(stack); /* stands for malloc */
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void leak(struct stack *stack)
{
    inlined(stack);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void churn(struct stack *stack)
{
    stack->line = __LINE__ + 1;
    capture(stack);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void table(struct stack *stack)
{
    stack->line = __LINE__ + 1;
    capture(stack);
    __asm__ volatile("" ::: "memory");
}

/* ---- modules ---- */

struct search {
    uintptr_t address;
    struct module_record found;
    char path[4096];
};

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * part,
                          struct module_record *out)
{
    const char *at = (const char *)(info->dlpi_addr + part->p_vaddr), *end = at + part->p_memsz;

    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = (const char *)(note + 1);
        const char *body = name + ((note->n_namesz + 3u) & ~3u);

        if (note->n_type == 3 && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
            note->n_descsz <= sizeof(out->build_id)) {
            out->build_id_size = note->n_descsz;
            memcpy(out->build_id, body, note->n_descsz);
        }
        at = body + ((note->n_descsz + 3u) & ~3u);
    }
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    bool mine = false;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + part->p_vaddr;

        mine |= part->p_type == PT_LOAD && search->address >= start &&
                search->address < start + part->p_memsz;
    }
    if (!mine)
        return 0;
    search->found.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_build_id(info, &info->dlpi_phdr[i], &search->found);
    (void)snprintf(search->path, sizeof(search->path), "%s", info->dlpi_name);
    if (!search->path[0] && readlink("/proc/self/exe", search->path, sizeof(search->path) - 1) < 0)
        return 0;
    return 1;
}

static uint32_t modules_known, stacks_used;
static uint64_t module_bases[16], blocks_used;

static uint32_t module_of(struct ledger *ledger, uintptr_t address, uint64_t *base)
{
    struct search search = {.address = address};

    if (!dl_iterate_phdr(look, &search))
        return 0;
    *base = search.found.base;
    for (uint32_t i = 0; i < modules_known; i++)
        if (module_bases[i] == search.found.base)
            return i + 1;
    search.found.path = ledger_string(ledger, search.path, strlen(search.path));
    module_bases[modules_known++] = search.found.base;
    return ledger_append(ledger, SECTION_modules, &search.found);
}

/* ---- records ---- */

static uint32_t put_stack(struct ledger *ledger, const struct stack *stack)
{
    struct stack_record *records = ledger_records(ledger, SECTION_stacks);
    uint32_t caller = 0;

    for (int i = stack->count - 1; i > 0; i--) {
        uint64_t base = 0;
        const uint64_t unit = module_of(ledger, (uintptr_t)stack->frames[i] - 1, &base);

        records[stacks_used].offset = (uintptr_t)stack->frames[i] - base;
        records[stacks_used].link = (uint64_t)caller << 32 | unit << 8 | FRAME_NATIVE;
        caller = ++stacks_used;
    }
    return caller;
}

static uint32_t put_site(struct ledger *ledger, uint32_t index, uint32_t stack, uint64_t size,
                         uint64_t births, uint64_t deaths)
{
    struct site_record *site = (struct site_record *)ledger_records(ledger, SECTION_sites) + index;

    site->first = 1;
    site->last = STEPS;
    site->births = births;
    site->deaths = deaths;
    site->born_weight = births * size;
    site->dead_weight = deaths * size;
    site->key = (uint64_t)stack << 16 | (uint64_t)ledger_class(size) << 8 | SITE_HEAP;
    return index + 1;
}

static void put_block(struct ledger *ledger, uint32_t site, uint64_t size, uint64_t birth)
{
    struct block_record *blocks = ledger_records(ledger, SECTION_blocks);
    struct live_key *keys = ledger_records(ledger, SECTION_live);

    blocks[blocks_used] =
        (struct block_record){.size = size, .weight = size, .birth = birth, .site = site};
    keys[blocks_used].address = 0x10000 + blocks_used * 16;
    blocks_used++;
}

static void put_steps(struct ledger *ledger)
{
    for (uint64_t i = 1; i <= STEPS; i++) {
        struct step_record step = {.first = i,
                                   .last = i,
                                   .time = ledger->head->start_mono + i * SECOND / 10,
                                   .ticked = 1u << CLOCK_mark,
                                   .live_bytes = 65536 + i * 4096,
                                   .live_blocks = 2 + i,
                                   .resident = (20ull << 20) + i * 4096,
                                   .threads = 1};

        step.clock[CLOCK_mark] = i;
        step.live_min = step.live_max = step.live_bytes;
        step.class_blocks[ledger_class(4096)] = (uint32_t)i;
        step.class_blocks[ledger_class(49152)] = 1;
        step.class_blocks[ledger_class(16384)] = 1;
        (void)levels_append_step(ledger, &step);
    }
}

static void put_totals(struct ledger *ledger)
{
    struct totals_record *totals = ledger_records(ledger, SECTION_totals);
    struct peak_record *peak = ledger_records(ledger, SECTION_peak);

    totals->time = ledger->head->start_mono + 10 * SECOND;
    totals->ordinal = STEPS + 1;
    totals->clock[CLOCK_mark] = STEPS;
    totals->threads_started = 1;
    totals->classes[ledger_class(4096)] =
        (struct class_total){2 * STEPS, 2 * STEPS * 4096, STEPS, STEPS * 4096};
    totals->classes[ledger_class(49152)] = (struct class_total){1, 49152, 0, 0};
    totals->classes[ledger_class(16384)] = (struct class_total){1, 16384, 0, 0};
    totals->probe_bytes = 1u << 20;
    *peak = (struct peak_record){.number = 1,
                                 .time = totals->time,
                                 .ordinal = STEPS,
                                 .weight = 65536 + STEPS * 4096,
                                 .live_bytes = 65536 + STEPS * 4096};
}

static void fill_process(struct ledger *ledger, const struct stack *stacks)
{
    const uint32_t kept = put_site(ledger, 0, put_stack(ledger, &stacks[0]), 4096, STEPS, 0);
    const uint32_t made = put_stack(ledger, &stacks[2]);
    const uint32_t large = put_site(ledger, 2, made, 49152, 1, 0);
    const uint32_t small = put_site(ledger, 4, made, 16384, 1, 0);

    (void)put_site(ledger, 1, put_stack(ledger, &stacks[1]), 4096, STEPS, STEPS);
    if (stacks[3].count > 0)
        (void)put_site(ledger, 3, put_stack(ledger, &stacks[3]), 1 << 20, 1, 0);
    for (uint64_t i = 1; i <= STEPS; i++)
        put_block(ledger, kept, 4096, i);
    put_block(ledger, large, 49152, 1);
    put_block(ledger, small, 16384, 1);
    put_steps(ledger);
    put_totals(ledger);
    ledger_lose(ledger, LOST_stack_unknown, 7);
    ledger_state(ledger, STATE_ENDED);
}

/* As many sites, blocks and stacks as a ledger can hold; the addresses walk through our own code.
 */
static void fill_up(struct ledger *ledger, const struct stack *stacks)
{
    uint64_t base = 0;
    const uint64_t unit = module_of(ledger, (uintptr_t)stacks[0].frames[1], &base);
    struct stack_record *records = ledger_records(ledger, SECTION_stacks);
    struct site_record *sites = ledger_records(ledger, SECTION_sites);

    for (uint64_t seen = 2048; table_grow(ledger, SECTION_stacks, 0, seen); seen *= 2)
        ;
    for (uint64_t seen = 512; table_grow(ledger, SECTION_sites, 0, seen); seen *= 2)
        ;
    for (uint64_t seen = 2048; table_grow(ledger, SECTION_live, SECTION_blocks, seen); seen *= 2)
        ;
    for (uint64_t at = 2048; at < 256 * 1024; at++) {
        records[at].offset = (uintptr_t)stacks[0].frames[1] - base + at % 977;
        records[at].link = (at % 16 ? at : 0) << 32 | unit << 8 | FRAME_NATIVE;
    }
    for (uint32_t i = 3; i < 32 * 1024; i++) {
        if (sites[i].key == 0)
            (void)put_site(ledger, i, 2048 + i * 7, 4096, 8, 0);
        for (uint64_t k = 0; k < 7; k++)
            put_block(ledger, i + 1, 4096, 1 + (i + k) % STEPS);
    }
}

static void fill_run(struct ledger *ledger, const char *name)
{
    struct process_record root = {.pid = ROOT_PID,
                                  .parent_pid = 1,
                                  .start = ledger->head->start_mono,
                                  .end = ledger->head->start_mono + 10 * SECOND,
                                  .status = 3 << 8,
                                  .flags = PROCESS_ROOT,
                                  .resident_peak = 30ull << 20,
                                  .resident_last = 21ull << 20};
    struct process_record child = root, bare = root;
    const struct account_record account = {.pid = ROOT_PID,
                                           .resident = 21ull << 20,
                                           .anonymous = 3ull << 20,
                                           .file = 17ull << 20,
                                           .shmem = 1ull << 20};

    root.name = ledger_string(ledger, name, strlen(name));
    child.pid = CHILD_PID;
    child.parent_pid = ROOT_PID;
    child.flags = PROCESS_OOM_KILLED;
    child.status = SIGKILL;
    child.name = ledger_string(ledger, "worker", 6);
    bare.pid = CHILD_PID + 1;
    bare.parent_pid = ROOT_PID;
    bare.flags = PROCESS_ORPHAN;
    bare.end = 0;
    bare.name = ledger_string(ledger, "static", 6);
    bare.untraced = ledger_string(ledger, "it is statically linked", 23);
    (void)ledger_append(ledger, SECTION_processes, &root);
    (void)ledger_append(ledger, SECTION_processes, &child);
    (void)ledger_append(ledger, SECTION_processes, &bare);
    (void)ledger_append(ledger, SECTION_accounts, &account);
    ledger_state(ledger, STATE_ENDED);
}

/* ---- ledgers ---- */

static void begin(struct ledger *ledger, const char *directory, enum ledger_role role, uint32_t pid,
                  uint32_t parent, const char *program)
{
    const struct ledger_identity identity = {.role = role,
                                             .pid = pid,
                                             .parent_pid = parent,
                                             .run = 42,
                                             .rate = 524288,
                                             .program = program,
                                             .command = program,
                                             .allocator = "libc.so.6"};
    char name[LEDGER_NAME_MAX] = LEDGER_RUN_NAME;
    struct why why;

    if (role == ROLE_PROCESS)
        ledger_name(name, pid, 0, LEDGER_SUFFIX);
    if (ledger_create(ledger, directory, name, &identity, &why) != 0) {
        (void)fprintf(stderr, "make_ledger: %s\n", why.text);
        exit(1);
    }
    modules_known = stacks_used = 0;
    blocks_used = 0;
}

int main(int argc, char **argv)
{
    static struct ledger ledger;
    static struct stack stacks[4];
    const bool nasty = argc == 3 && strcmp(argv[2], "hostile") == 0;
    const bool full = argc == 3 && strcmp(argv[2], "full") == 0;
    const char *name = nasty ? hostile : argv[0];

    if (argc != 3)
        return 2;
    leak(&stacks[0]);
    churn(&stacks[1]);
    table(&stacks[2]);
    if (extra_stack)
        stacks[3].line = extra_stack(stacks[3].frames, DEPTH, &stacks[3].count);
    begin(&ledger, argv[1], ROLE_PROCESS, ROOT_PID, 1, name);
    fill_process(&ledger, stacks);
    if (nasty)
        ledger_note(&ledger, 1, hostile);
    if (full)
        fill_up(&ledger, stacks);
    ledger_close(&ledger);
    begin(&ledger, argv[1], ROLE_PROCESS, CHILD_PID, ROOT_PID, "/usr/bin/worker");
    ledger_state(&ledger, STATE_RUNNING);
    ledger_close(&ledger);
    begin(&ledger, argv[1], ROLE_RUN, 1, 0, "tare");
    fill_run(&ledger, name);
    ledger_close(&ledger);
    printf("{\"leak\": %u, \"churn\": %u, \"table\": %u, \"extra\": %u}\n", stacks[0].line,
           stacks[1].line, stacks[2].line, stacks[3].line);
    return 0;
}
