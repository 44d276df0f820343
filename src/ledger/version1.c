/* version1.c - see version1.h. The structs here are those of version 1 and never change again. */
#include "ledger/version1.h"

#include <string.h>

#include "ledger/levels.h"
#include "ledger/site_kind.h"
#include "ledger/step.h"

#define OLD_SECTIONS 40
#define OLD_CLOCKS 16
#define OLD_GAUGES 16

/* ---- the header ---- */

struct old_header {
    char magic[8];
    uint32_t version, header_size;
    uint64_t file_size;
    uint32_t role, sections, pid, parent_pid;
    uint64_t run;
    uint32_t generation, page_size;
    uint64_t start_mono, start_real;
    uint32_t program, command, state, off_reason;
    uint64_t seen_mono;
    uint32_t allocator, inherited;
    uint64_t forked_bytes, forked_blocks, rate, watched, tsc_hz;
    struct section_entry table[OLD_SECTIONS];
};

_Static_assert(sizeof(struct old_header) <= LEDGER_HEADER_SIZE, "the old header is one page");

struct version1_header version1_header(struct ledger_header *head, const void *page)
{
    struct old_header old;

    memcpy(&old, page, sizeof(old));
    *head = (struct ledger_header){.version = old.version,
                                   .header_size = old.header_size,
                                   .file_size = old.file_size,
                                   .role = old.role,
                                   .sections = old.sections,
                                   .pid = old.pid,
                                   .parent_pid = old.parent_pid,
                                   .run = old.run,
                                   .generation = old.generation,
                                   .page_size = old.page_size,
                                   .start_mono = old.start_mono,
                                   .start_real = old.start_real,
                                   .program = old.program,
                                   .command = old.command,
                                   .state = old.state,
                                   .off_reason = old.off_reason,
                                   .seen_mono = old.seen_mono,
                                   .allocator = old.allocator,
                                   .inherited = old.inherited,
                                   .forked_bytes = old.forked_bytes,
                                   .rate = old.rate,
                                   .watched = old.watched};
    memcpy(head->magic, old.magic, sizeof(head->magic));
    memcpy(head->table, old.table, sizeof(old.table));
    head->table[SECTION_devices] = (struct section_entry){0}; /* added by version1_add_sections */
    return (struct version1_header){sizeof(old), offsetof(struct old_header, table)};
}

/* ---- blocks ---- */

struct old_block {
    uint64_t size, weight, birth;
    uint32_t site;
    uint32_t grown; /* of a tensor: enum tensor_holder */
};

static void convert_block(void *to, const void *from, const struct version1_sites *sites)
{
    const struct old_block *old = from;
    const uint16_t number = ledger_grown(old->grown);
    const bool tensor = site_is_tensor(sites->kind_of(sites->reader, old->site));
    struct block_record *out = to;

    *out = (struct block_record){.size = old->size,
                                 .weight = old->weight,
                                 .birth = old->birth,
                                 .site = old->site,
                                 .grown = tensor ? 0 : number,
                                 .holder = tensor ? number : 0};
}

/* ---- steps ---- */

struct old_step {
    uint64_t first, last, time;
    uint32_t ticked;
    uint32_t classes; /* was always 1 */
    uint64_t clock[OLD_CLOCKS];
    uint64_t live_bytes, live_min, live_max, live_blocks;
    uint64_t allocated_bytes, allocated_blocks;
    uint64_t mapped_bytes, shared_bytes, resident;
    uint64_t gauges[OLD_GAUGES];
    uint32_t threads, sampled;
    uint32_t class_blocks[LEDGER_CLASSES];
};

static void convert_step(void *to, const void *from, const struct version1_sites *sites)
{
    const struct old_step *old = from;
    struct step_record step = {.first = old->first,
                               .last = old->last,
                               .time = old->time,
                               .ticked = old->ticked,
                               .threads = old->threads,
                               .live_bytes = old->live_bytes,
                               .live_min = old->live_min,
                               .live_max = old->live_max,
                               .live_blocks = old->live_blocks,
                               .allocated_bytes = old->allocated_bytes,
                               .allocated_blocks = old->allocated_blocks,
                               .mapped_bytes = old->mapped_bytes,
                               .shared_bytes = old->shared_bytes,
                               .resident = old->resident,
                               .sampled = old->sampled};

    (void)sites;
    memcpy(step.clock, old->clock, sizeof(old->clock));
    memcpy(step.gauges, old->gauges, sizeof(old->gauges));
    memcpy(step.class_blocks, old->class_blocks, sizeof(step.class_blocks));
    step_pack(to, &step);
}

/* ---- totals ---- */

struct old_totals {
    uint64_t sequence, time, ordinal, threads_started, threads_ended;
    uint64_t mapped_bytes, mapped_count, shared_bytes, reserved_bytes, probe_bytes, pause_ns;
    uint64_t clock[OLD_CLOCKS];
    uint64_t watched_since[LEDGER_CLASSES];
    struct class_total classes[LEDGER_CLASSES];
};

static void convert_totals(void *to, const void *from, const struct version1_sites *sites)
{
    const struct old_totals *old = from;
    struct totals_record *out = to;

    (void)sites;
    *out = (struct totals_record){.sequence = old->sequence,
                                  .time = old->time,
                                  .ordinal = old->ordinal,
                                  .threads_started = old->threads_started,
                                  .threads_ended = old->threads_ended,
                                  .mapped_bytes = old->mapped_bytes,
                                  .shared_bytes = old->shared_bytes,
                                  .reserved_bytes = old->reserved_bytes,
                                  .probe_bytes = old->probe_bytes,
                                  .pause_ns = old->pause_ns};
    memcpy(out->clock, old->clock, sizeof(old->clock));
    memcpy(out->watched_since, old->watched_since, sizeof(out->watched_since));
    memcpy(out->classes, old->classes, sizeof(out->classes));
}

/* ---- interventions ---- */

struct old_intervention {
    uint64_t time, ordinal;
    uint32_t kind;
    uint32_t released; /* what it says depends on the kind */
    uint64_t pause_ns, live_before, live_after;
    uint64_t resident_before, resident_after; /* INTERVENTION_WORKER: of its heap */
};

static void convert_intervention(void *to, const void *from, const struct version1_sites *sites)
{
    const struct old_intervention *old = from;
    struct intervention_record *out = to;
    const bool worker = old->kind == INTERVENTION_WORKER;

    (void)sites;
    *out = (struct intervention_record){
        .time = old->time,
        .ordinal = old->ordinal,
        .kind = old->kind,
        .trimmed = old->kind == INTERVENTION_TRIM ? old->released : 0,
        .pause_ns = old->pause_ns,
        .live_before = old->live_before,
        .live_after = old->live_after,
        .resident_before = worker ? 0 : old->resident_before,
        .resident_after = worker ? 0 : old->resident_after,
        .unreachable = old->kind == INTERVENTION_COLLECT ? old->released : 0,
        .suspected_object = old->kind == INTERVENTION_SNAPSHOT ? old->released : 0,
        .device_steps = old->kind == INTERVENTION_SYNC ? old->released : 0,
        .heap_first = worker ? old->resident_before : 0,
        .heap_last = worker ? old->resident_after : 0,
    };
}

/* ---- holders ---- */

struct old_holder {
    uint64_t time, ordinal;
    uint32_t site, state, targets, reached;
    uint32_t through; /* never read */
    uint32_t root, unit, depth;
    uint64_t offset;
    uint32_t path[HOLDER_PATH];
    uint64_t pause_ns, scanned;
    uint32_t reason, unused;
};

static void convert_holder(void *to, const void *from, const struct version1_sites *sites)
{
    const struct old_holder *old = from;
    struct holder_record *out = to;

    (void)sites;
    *out = (struct holder_record){.time = old->time,
                                  .ordinal = old->ordinal,
                                  .site = old->site,
                                  .state = old->state,
                                  .targets = old->targets,
                                  .reached = old->reached,
                                  .root = old->root,
                                  .unit = old->unit,
                                  .depth = old->depth,
                                  .reason = old->reason,
                                  .offset = old->offset,
                                  .pause_ns = old->pause_ns,
                                  .scanned = old->scanned};
    memcpy(out->path, old->path, sizeof(out->path));
}

struct old_owner {
    uint32_t holder, position, kind, name, type, file, line, spare;
    uint64_t number; /* an index, steps left out, or of a root: blocks of libraries + 1 */
    uint64_t length, bound, hits, misses;
};

static void convert_owner(void *to, const void *from, const struct version1_sites *sites)
{
    const struct old_owner *old = from;
    const bool root = old->position == 0 && old->number > 0;
    struct owner_record *out = to;

    (void)sites;
    *out = (struct owner_record){.holder = old->holder,
                                 .position = old->position,
                                 .kind = old->kind,
                                 .name = old->name,
                                 .type = old->type,
                                 .file = old->file,
                                 .line = old->line,
                                 .libraries_known = root,
                                 .libraries_alone = root ? old->number - 1 : 0,
                                 .index = old->kind == OWNER_INDEX ? old->number : 0,
                                 .left_out = old->kind == OWNER_PART && !root ? old->number : 0,
                                 .length = old->length,
                                 .bound = old->bound,
                                 .hits = old->hits,
                                 .misses = old->misses};
}

/* ---- devices ---- */

/* Version 1 has only the gauges of the latest step: its record is read as that of a device. */
static void convert_device(void *to, const void *from, const struct version1_sites *sites)
{
    const struct old_step *old = from;
    const uint64_t taken = old->gauges[GAUGE_device_taken], used = old->gauges[GAUGE_device_used];
    struct device_record *out = to;

    (void)sites;
    *out = (struct device_record){
        .kind = taken > 0 ? DEVICE_GPU : 0, .used = used, .taken = taken, .most = used};
}

void version1_add_sections(struct ledger_header *head, const struct level_record *level)
{
    const struct section_entry *steps = &head->table[SECTION_steps];
    const uint64_t latest = (level->tail - 1) % LEVELS_FIRST;

    if (level->tail != level->head && latest < steps->capacity)
        head->table[SECTION_devices] =
            (struct section_entry){.number = SECTION_devices,
                                   .record_size = steps->record_size,
                                   .offset = steps->offset + latest * steps->record_size,
                                   .capacity = 1,
                                   .taken = 1,
                                   .used = 1};
}

/* ---- all of them ---- */

#define DIFFERS(section, old, today, how)                                                          \
    [SECTION_##section] = {sizeof(struct old), sizeof(struct today), how}
static const struct version1_record records[LEDGER_SECTIONS_MAX] = {
    DIFFERS(blocks, old_block, block_record, convert_block),
    DIFFERS(steps, old_step, packed_step, convert_step),
    DIFFERS(totals, old_totals, totals_record, convert_totals),
    DIFFERS(interventions, old_intervention, intervention_record, convert_intervention),
    DIFFERS(holders, old_holder, holder_record, convert_holder),
    DIFFERS(owners, old_owner, owner_record, convert_owner),
    DIFFERS(devices, old_step, device_record, convert_device),
};

_Static_assert(sizeof(struct old_totals) <= VERSION1_RECORD_MAX &&
                   sizeof(struct totals_record) <= VERSION1_RECORD_MAX,
               "the longest record");

const struct version1_record *version1_record(enum section section)
{
    return (unsigned)section < LEDGER_SECTIONS_MAX && records[section].convert ? &records[section]
                                                                               : NULL;
}
