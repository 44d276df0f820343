/* model.c - see model.h: the order in which a ledger is read, and the questions asked of it after.
 */
#include "ledger/model.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/filemap.h"
#include "base/invariant.h"
#include "base/mem.h"
#include "base/secret.h"
#include "ledger/model_parts.h"

typedef int load_fn(struct model *model, const struct reader *reader, struct why *why);

int no_memory(uint64_t count, const char *what, struct why *why)
{
    return fail(why, ERR_NOMEM, "no memory for %llu %s", (unsigned long long)count, what);
}

static int load_all(struct model *m, const struct reader *reader, load_fn *const *loads,
                    size_t count, struct why *why)
{
    int err = 0;

    for (size_t i = 0; i < count && !err; i++) {
        err = loads[i](m, reader, why);
        /* Copied, and not needed again: the pages of a mapped file leave our resident size. */
        if (m->mapped)
            (void)madvise((void *)(uintptr_t)reader->bytes, (size_t)reader->size, MADV_DONTNEED);
    }
    return err;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Two readings of the header: what refers to others is read under the first, what is referred to
 * under the second, which is newer. */
static int load_process(struct model *m, const struct reader *first, const struct reader *second,
                        struct why *why)
{
    static load_fn *const referring[] = {load_steps, load_blocks, load_maps, load_deaths};
    static load_fn *const referred[] = {load_texts,   load_modules, load_code,
                                        load_scripts, load_frames,  load_sites};
    static load_fn *const rest[] = {load_scopes, load_notes, load_lines, load_interventions,
                                   load_holders, load_owners, load_arrays,
                                   load_residents, load_traces, load_registries,
                                   load_pools, load_devices, load_phases};
    int err = load_all(m, first, referring, COUNT_OF(referring), why);

    load_peak(m, first);
    load_totals(m, first);
    load_costs(m, first);
    if (!err)
        err = load_all(m, second, referred, COUNT_OF(referred), why);
    if (!err)
        err = resolve_tables(m, why);
    return err ? err : load_all(m, first, rest, COUNT_OF(rest), why);
}

static int load_run(struct model *m, const struct reader *first, const struct reader *second,
                    struct why *why)
{
    static load_fn *const loads[] = {load_samples, load_processes, load_limits, load_accounts,
                                     load_sources, load_packages, load_folded, load_notes};
    const int err = load_texts(m, second, why);

    load_effort(m, first);
    return err ? err : load_all(m, first, loads, COUNT_OF(loads), why);
}

/* An older tare wrote secrets down; a small copy of its ledger has blanks at the end. */
static const char *command_of(const struct model *m)
{
    const char *text = model_text(m, m->head.command, "");
    char *line = text[0] ? m->texts + (text - m->texts) : NULL;
    size_t length = line ? secret_mask(line, strlen(line), ' ') : 0;

    while (length > 0 && line[length - 1] == ' ')
        length--;
    if (line)
        line[length] = 0;
    return text;
}

static int load_reader(struct model *m, const struct reader *first, struct why *why)
{
    struct reader second;
    int err = reader_init(&second, first->bytes, (size_t)first->size, why);

    if (err)
        return err;
    m->head = first->head;
    m->cut = first->cut;
    m->brief = m->brief && m->head.role == ROLE_PROCESS;
    err = m->brief                     ? load_texts(m, &second, why)
          : m->head.role == ROLE_RUN ? load_run(m, first, &second, why)
                                       : load_process(m, first, &second, why);
    if (err)
        return err;
    load_lost(m, first);
    m->program = model_text(m, m->head.program, "");
    m->command = command_of(m);
    m->allocator = model_text(m, m->head.allocator, "");
    m->off_reason = model_text(m, m->head.off_reason, "");
    INVARIANT(model_is_valid(m));
    return 0;
}

enum how { FROM_MEMORY, FROM_MAP, BRIEF_FROM_MAP };

static int load_bytes(struct model **out, const void *bytes, size_t size, enum how how,
                      struct why *why)
{
    struct reader reader;
    struct model *m = NULL;
    int err = reader_init(&reader, bytes, size, why);

    *out = NULL;
    if (!err) {
        m = mem_zalloc(sizeof(*m));
        if (m) {
            m->mapped = how != FROM_MEMORY;
            m->brief = how == BRIEF_FROM_MAP;
        }
        err = m ? load_reader(m, &reader, why) : fail(why, ERR_NOMEM, "no memory for the model");
    }
    if (err) {
        model_free(m);
        return err;
    }
    *out = m;
    return 0;
}

int model_load(struct model **out, const void *bytes, size_t size, struct why *why)
{
    return load_bytes(out, bytes, size, FROM_MEMORY, why);
}

static int load_map(struct model **out, const struct filemap *map, enum how how, struct why *why)
{
    const int err = load_bytes(out, map->bytes, map->size, how, why);

    if (!err && filemap_was_cut(map))
        (*out)->cut = true;
    return err;
}

int model_load_map(struct model **out, const struct filemap *map, struct why *why)
{
    return load_map(out, map, FROM_MAP, why);
}

int model_load_brief(struct model **out, const struct filemap *map, struct why *why)
{
    return load_map(out, map, BRIEF_FROM_MAP, why);
}

int model_load_file(struct model **out, const char *path, struct why *why)
{
    struct filemap map = {0};
    struct why inner = {""};
    int err = filemap_open(&map, AT_FDCWD, path, why);

    *out = NULL;
    if (!err) {
        filemap_read_nothing_ahead(&map);
        err = model_load_map(out, &map, &inner);
        if (err)
            (void)fail(why, err, "%s: %s", path, inner.text);
    }
    filemap_close(&map);
    return err;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    mem_free(model->modules);
    mem_free(model->lines);
    mem_free(model->frames);
    mem_free(model->sites);
    mem_free(model->blocks);
    mem_free(model->deaths);
    mem_free(model->steps);
    mem_free(model->maps);
    mem_free(model->scopes);
    mem_free(model->interventions);
    mem_free(model->holders);
    mem_free(model->owners);
    mem_free(model->arrays);
    mem_free(model->phases);
    mem_free(model->residents);
    mem_free(model->traces);
    mem_free(model->registries);
    mem_free(model->pools);
    mem_free(model->devices);
    mem_free(model->notes);
    mem_free(model->sources);
    mem_free((void *)model->source_paths);
    mem_free(model->samples);
    mem_free(model->processes);
    mem_free(model->process_names);
    mem_free(model->process_untraced);
    mem_free(model->limits);
    mem_free(model->limit_paths);
    mem_free(model->accounts);
    mem_free(model->folded);
    mem_free(model->packages);
    mem_free(model->code);
    mem_free(model->scripts);
    mem_free(model->tables);
    mem_free(model->texts);
    mem_free(model);
}

/* ---- what holds ---- */

static bool is_frame(const struct model *m, uint32_t id)
{
    return id > 0 && id <= m->frame_count && m->frames[id - 1].kind != 0;
}

static bool is_site(const struct model *m, uint32_t site)
{
    return site > 0 && site <= m->site_count && m->sites[site - 1].kind != 0;
}

/* Every stack ends, and its frames name units that are there. */
static bool stacks_are_valid(const struct model *m)
{
    for (size_t i = 0; i < m->frame_count; i++) {
        const struct model_frame *frame = &m->frames[i];
        const size_t units = frame->kind == FRAME_NATIVE   ? m->module_count
                             : frame->kind == FRAME_PYTHON ? m->code_count
                             : frame->kind == FRAME_JS     ? m->script_count
                                                           : UINT32_MAX;
        unsigned depth = 1;

        for (uint32_t id = frame->caller; id != 0; id = m->frames[id - 1].caller)
            if (!is_frame(m, id) || ++depth > MODEL_DEPTH_MAX)
                return false;
        if (frame->unit > units)
            return false;
    }
    return true;
}

static bool lives_are_valid(const struct model *m)
{
    for (size_t i = 0; i < m->site_count; i++)
        if ((m->sites[i].stack != 0 && !is_frame(m, m->sites[i].stack)) ||
            m->sites[i].class_index >= LEDGER_CLASSES)
            return false;
    for (size_t i = 0; i < m->block_count; i++)
        if ((m->blocks[i].site != 0 && !is_site(m, m->blocks[i].site)) ||
            (m->blocks[i].native != 0 && !is_frame(m, m->blocks[i].native)) ||
            (i > 0 && m->blocks[i].address <= m->blocks[i - 1].address))
            return false;
    for (size_t i = 0; i < m->death_count; i++)
        if ((m->deaths[i].site != 0 && !is_site(m, m->deaths[i].site)) ||
            m->deaths[i].birth > m->deaths[i].death)
            return false;
    for (size_t i = 0; i < m->map_count; i++)
        if ((m->maps[i].site != 0 && !is_site(m, m->maps[i].site)) || m->maps[i].unit > m->module_count ||
            m->maps[i].start + m->maps[i].length <= m->maps[i].start ||
            (i > 0 && m->maps[i].start < m->maps[i - 1].start))
            return false;
    return true;
}

static bool spans_are_valid(const struct model *m)
{
    for (size_t i = 0; i < m->sample_count; i++)
        if (m->samples[i].first == 0 || m->samples[i].last < m->samples[i].first ||
            (i > 0 && m->samples[i].first <= m->samples[i - 1].last))
            return false;
    for (size_t i = 0; i < m->step_count; i++)
        if (m->steps[i].first == 0 || m->steps[i].last < m->steps[i].first ||
            (i > 0 && m->steps[i].first <= m->steps[i - 1].last))
            return false;
    return true;
}

static bool holders_are_valid(const struct model *m)
{
    for (size_t i = 0; i < m->holder_count; i++)
        if (m->holders[i].site > m->site_count || m->holders[i].unit > m->module_count)
            return false;
    for (size_t i = 0; i < m->owner_count; i++)
        if (m->owners[i].holder == 0 || m->owners[i].holder > m->holder_count)
            return false;
    for (size_t i = 0; i < m->array_count; i++)
        if (m->arrays[i].holder == 0 || m->arrays[i].holder > m->holder_count)
            return false;
    return true;
}

bool model_is_valid(const struct model *model)
{
    return model->program && model->command && model->allocator && model->off_reason &&
           stacks_are_valid(model) && lives_are_valid(model) && spans_are_valid(model) &&
           holders_are_valid(model);
}

/* ---- questions ---- */

/* Born minus dead; a forged ledger may have more deaths than births. */
static uint64_t alive(uint64_t born, uint64_t dead)
{
    return born > dead ? born - dead : 0;
}

uint64_t model_class_blocks(const struct model *model, unsigned class_index)
{
    const struct class_total *total = &model->totals.classes[class_index % LEDGER_CLASSES];

    return alive(total->born_blocks, total->dead_blocks);
}

uint64_t model_class_bytes(const struct model *model, unsigned class_index)
{
    const struct class_total *total = &model->totals.classes[class_index % LEDGER_CLASSES];

    return alive(total->born_bytes, total->dead_bytes);
}

/* Over all classes at once: a block that realloc shrank may be born in one and dead in another. */
uint64_t model_live_blocks(const struct model *model)
{
    uint64_t born = 0, dead = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        born += model->totals.classes[c].born_blocks;
        dead += model->totals.classes[c].dead_blocks;
    }
    return alive(born, dead);
}

uint64_t model_live_bytes(const struct model *model)
{
    uint64_t born = 0, dead = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        born += model->totals.classes[c].born_bytes;
        dead += model->totals.classes[c].dead_bytes;
    }
    return alive(born, dead);
}

double model_mean_weight(const struct model_site *site)
{
    return site->births ? (double)site->born_weight / (double)site->births : 0;
}

uint64_t model_last_ordinal(const struct model *model)
{
    return model->step_count > 0 ? model->steps[model->step_count - 1].last : model->totals.ordinal;
}

double model_mean_units(const struct model_site *site, uint64_t size)
{
    return site->births && size ? model_mean_weight(site) / (double)size : 1;
}
