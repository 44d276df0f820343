/* model_logs.c - the append-only records of a ledger, and its texts.
 *
 * All texts are copied at once, with a terminator after the last one; a text is then a pointer into
 * that copy. Whatever the lengths claim, no pointer leaves the copy and every text ends.
 */
#include <string.h>

#include "ledger/model_parts.h"

/* ---- texts ---- */

int load_texts(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t units = reader_count(r, SECTION_strings);
    const int err =
        TAKE_ARRAY(m->texts, units * sizeof(struct string_unit) + 1, "bytes of text", why);

    if (err)
        return err;
    m->text_size = (size_t)units * sizeof(struct string_unit);
    for (uint64_t i = 0; i < units; i++)
        (void)reader_get(r, SECTION_strings, i, m->texts + i * sizeof(struct string_unit),
                         sizeof(struct string_unit));
    return 0;
}

const char *model_text(const struct model *m, uint32_t id, const char *otherwise)
{
    const size_t at = (size_t)(id - 1) * sizeof(struct string_unit);
    uint32_t length;

    if (id == 0 || at >= m->text_size)
        return otherwise;
    memcpy(&length, m->texts + at, sizeof(length));
    if (length >= m->text_size - at - sizeof(length))
        return otherwise;
    m->texts[at + sizeof(length) + length] = 0; /* it is there already, unless this is forged */
    return m->texts + at + sizeof(length);
}

/* ---- logs ---- */

/* Copies a log whose records are kept as they are into array[count]. */
static size_t load_plain(const struct reader *r, enum section section, void *array, uint64_t count,
                         size_t size)
{
    for (uint64_t i = 0; i < count; i++)
        (void)reader_get(r, section, i, (char *)array + i * size, size);
    return (size_t)count;
}

int load_residents(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_residents);
    const int err = TAKE_ARRAY(m->residents, records, "residents", why);

    if (!err)
        m->resident_count =
            load_plain(r, SECTION_residents, m->residents, records, sizeof(m->residents[0]));
    return err;
}

int load_holders(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_holders);
    const int err = TAKE_ARRAY(m->holders, records, "holders", why);

    if (err)
        return err;
    m->holder_count =
        load_plain(r, SECTION_holders, m->holders, records, sizeof(m->holders[0]));
    for (size_t i = 0; i < m->holder_count; i++) {
        struct holder_record *holder = &m->holders[i];

        if (holder->site > m->site_count)
            holder->site = 0;
        if (holder->unit > m->module_count)
            holder->unit = 0;
    }
    return 0;
}

/* Needs the holders. */
int load_owners(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_owners);
    const int err = TAKE_ARRAY(m->owners, records, "owners", why);

    for (uint64_t i = 0; !err && i < records; i++) {
        struct owner_record raw = {0};

        if (!reader_get(r, SECTION_owners, i, &raw, sizeof(raw)) || raw.holder == 0 ||
            raw.holder > m->holder_count)
            continue;
        m->owners[m->owner_count++] = (struct model_owner){
            .holder = raw.holder, .position = raw.position, .kind = raw.kind, .line = raw.line,
            .name = model_text(m, raw.name, ""), .type = model_text(m, raw.type, ""),
            .file = model_text(m, raw.file, ""), .index = raw.index, .left_out = raw.left_out,
            .libraries_known = raw.libraries_known != 0, .libraries_alone = raw.libraries_alone,
            .length = raw.length, .bound = raw.bound, .hits = raw.hits, .misses = raw.misses};
    }
    return err;
}

/* Needs the holders. */
int load_arrays(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_arrays);
    const int err = TAKE_ARRAY(m->arrays, records, "arrays", why);

    for (uint64_t i = 0; !err && i < records; i++) {
        struct array_record *array = &m->arrays[m->array_count];

        if (reader_get(r, SECTION_arrays, i, array, sizeof(*array)) && array->holder > 0 &&
            array->holder <= m->holder_count && array->elements > 0 && array->bytes > 0)
            m->array_count++;
    }
    return err;
}

int load_interventions(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_interventions);
    const int err = TAKE_ARRAY(m->interventions, records, "interventions", why);

    if (!err)
        m->intervention_count = load_plain(r, SECTION_interventions, m->interventions, records,
                                           sizeof(m->interventions[0]));
    return err;
}

int load_accounts(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_accounts);
    const int err = TAKE_ARRAY(m->accounts, records, "accounts", why);

    if (!err)
        m->account_count =
            load_plain(r, SECTION_accounts, m->accounts, records, sizeof(m->accounts[0]));
    return err;
}

int load_folded(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_folded);
    const int err = TAKE_ARRAY(m->folded, records, "folded processes", why);

    if (!err)
        m->folded_count = load_plain(r, SECTION_folded, m->folded, records, sizeof(m->folded[0]));
    return err;
}

int load_processes(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_processes);
    int err = TAKE_ARRAY(m->processes, records, "processes", why);

    if (!err)
        m->process_count =
            load_plain(r, SECTION_processes, m->processes, records, sizeof(m->processes[0]));
    if (!err)
        err = TAKE_ARRAY(m->process_names, m->process_count, "process names", why);
    if (!err)
        err = TAKE_ARRAY(m->process_untraced, m->process_count, "process reasons", why);
    for (size_t i = 0; i < m->process_count && !err; i++) {
        m->process_names[i] = model_text(m, m->processes[i].name, "");
        m->process_untraced[i] = model_text(m, m->processes[i].untraced, NULL);
    }
    return err;
}

int load_limits(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_limits);
    int err = TAKE_ARRAY(m->limits, records, "limits", why);

    if (!err)
        m->limit_count = load_plain(r, SECTION_limits, m->limits, records, sizeof(m->limits[0]));
    if (!err)
        err = TAKE_ARRAY(m->limit_paths, m->limit_count, "limit paths", why);
    for (size_t i = 0; i < m->limit_count && !err; i++)
        m->limit_paths[i] = model_text(m, m->limits[i].path, "");
    return err;
}

int load_sources(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_sources);
    int err = TAKE_ARRAY(m->sources, records, "source files", why);

    if (!err)
        m->source_count =
            load_plain(r, SECTION_sources, m->sources, records, sizeof(m->sources[0]));
    if (!err)
        err = TAKE_ARRAY(m->source_paths, m->source_count, "paths of source files", why);
    for (size_t i = 0; i < m->source_count && !err; i++)
        m->source_paths[i] = model_text(m, m->sources[i].path, "");
    return err;
}

int load_packages(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_packages);
    const int err = TAKE_ARRAY(m->packages, records, "packages", why);

    for (uint64_t i = 0; i < records && !err; i++) {
        struct package_record record;

        if (!reader_get(r, SECTION_packages, i, &record, sizeof(record)))
            break;
        m->packages[m->package_count++] =
            (struct model_package){.path = model_text(m, record.path, ""),
                                   .name = model_text(m, record.name, ""),
                                   .version = model_text(m, record.version, "")};
    }
    return err;
}

int load_modules(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_modules);
    const int err = TAKE_ARRAY(m->modules, records, "modules", why);

    for (uint64_t i = 0; i < records && !err; i++) {
        struct model_module *module = &m->modules[i];
        struct module_record record;

        if (!reader_get(r, SECTION_modules, i, &record, sizeof(record)))
            break;
        *module = (struct model_module){.base = record.base,
                                        .start = record.start,
                                        .end = record.end,
                                        .path = model_text(m, record.path, ""),
                                        .loaded = record.loaded,
                                        .unloaded = record.unloaded};
        memcpy(module->build_id, record.build_id, sizeof(module->build_id));
        if (record.build_id_size <= sizeof(module->build_id))
            module->build_id_size = record.build_id_size;
        m->module_count++;
    }
    return err;
}

/* ---- code ---- */

static int load_tables(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t units = reader_count(r, SECTION_line_tables);
    const int err =
        TAKE_ARRAY(m->tables, units * sizeof(struct table_unit), "bytes of line tables", why);

    if (!err)
        m->tables_size = load_plain(r, SECTION_line_tables, m->tables, units,
                                    sizeof(struct table_unit)) *
                         sizeof(struct table_unit);
    return err;
}

static void give_table(const struct model *m, const struct code_record *record,
                       struct model_code *code)
{
    const uint64_t at = ((uint64_t)record->table - 1) * sizeof(struct table_unit);

    if (record->table == 0 || at > m->tables_size || record->table_size > m->tables_size - at)
        return;
    code->table = m->tables + at;
    code->table_size = record->table_size;
}

int load_code(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_code);
    int err = load_tables(m, r, why);

    if (!err)
        err = TAKE_ARRAY(m->code, records, "Python functions", why);
    for (uint64_t i = 0; i < records && !err; i++) {
        struct model_code *code = &m->code[i];
        struct code_record record;

        if (!reader_get(r, SECTION_code, i, &record, sizeof(record)))
            break;
        *code = (struct model_code){.file = model_text(m, record.file, ""),
                                    .name = model_text(m, record.name, ""),
                                    .first_line = record.first_line,
                                    .version = record.version};
        give_table(m, &record, code);
        m->code_count++;
    }
    return err;
}

int load_scripts(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_scripts);
    const int err = TAKE_ARRAY(m->scripts, records, "JavaScript functions", why);

    for (uint64_t i = 0; i < records && !err; i++) {
        struct script_record record;

        if (!reader_get(r, SECTION_scripts, i, &record, sizeof(record)))
            break;
        m->scripts[m->script_count++] = (struct model_script){
            .file = model_text(m, record.file, ""), .name = model_text(m, record.name, "")};
    }
    return err;
}

int load_scopes(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_scopes);
    const int err = TAKE_ARRAY(m->scopes, records, "scopes", why);

    for (uint64_t i = 0; i < records && !err; i++) {
        struct scope_record record;

        if (!reader_get(r, SECTION_scopes, i, &record, sizeof(record)) || record.name == 0)
            continue;
        m->scopes[m->scope_count++] = (struct model_scope){.name = model_text(m, record.name, ""),
                                                           .entered = record.entered,
                                                           .left = record.left,
                                                           .allocated = record.allocated,
                                                           .kept = record.kept};
    }
    return err;
}

int load_notes(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_notes);
    const int err = TAKE_ARRAY(m->notes, records, "notes", why);

    for (uint64_t i = 0; i < records && !err; i++) {
        struct note_record record;
        const char *text;

        if (!reader_get(r, SECTION_notes, i, &record, sizeof(record)))
            break;
        text = model_text(m, record.text, "");
        m->notes[m->note_count++] = (struct model_note){.time = record.time,
                                                        .ordinal = record.ordinal,
                                                        .text = text,
                                                        .known = known_text_of(text, false)};
    }
    return err;
}

#define LINES_MOST 8192 /* the writer's capacity; each function is searched for among all of them */

int load_lines(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t there = reader_count(r, SECTION_line_rows);
    const uint64_t records = there < LINES_MOST ? there : LINES_MOST;
    const int err = TAKE_ARRAY(m->lines, records, "lines", why);

    for (uint64_t i = 0; i < records && !err; i++) {
        struct line_record record;

        if (!reader_get(r, SECTION_line_rows, i, &record, sizeof(record)))
            break;
        m->lines[m->line_count++] = (struct model_line){
            .function = record.function <= records ? record.function : 0, .line = record.line,
            .first_line = record.first_line, .flags = record.flags,
            .file = model_text(m, record.file, ""), .name = model_text(m, record.name, ""),
            .hits = record.hits, .added = record.added, .released = record.released,
            .others_added = record.others_added, .others_released = record.others_released,
            .time_ns = record.time_ns, .resident = record.resident,
            .least = record.least <= record.most ? record.least : 0,
            .most = record.least <= record.most ? record.most : 0};
    }
    return err;
}

void load_lost(struct model *m, const struct reader *r)
{
    for (uint64_t i = 0; i < sizeof(m->lost) / sizeof(m->lost[0]); i++)
        (void)reader_get(r, SECTION_lost, i, &m->lost[i], sizeof(m->lost[i]));
}

void load_costs(struct model *m, const struct reader *r)
{
    m->costs_known = reader_count(r, SECTION_costs) > 0;
    for (uint64_t i = 0; i < COST_KINDS; i++)
        (void)reader_get(r, SECTION_costs, i, &m->costs[i], sizeof(m->costs[i]));
}

void load_effort(struct model *m, const struct reader *r)
{
    (void)reader_get(r, SECTION_effort, 0, &m->effort, sizeof(m->effort));
}

int load_phases(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_phases);
    const int err = TAKE_ARRAY(m->phases, records, "phases", why);

    if (err)
        return err;
    m->phase_count = load_plain(r, SECTION_phases, m->phases, records, sizeof(m->phases[0]));
    for (size_t i = 0; i < m->phase_count; i++)
        if (m->phases[i].unit > m->code_count)
            m->phases[i].unit = 0;
    return 0;
}
