/* fuzz_model.c - whatever the bytes, model_load ends, and its result keeps its promises.
 *
 * The promises are those of model.h: every id in range or 0, stacks end, spans and addresses in
 * order, texts terminated inside the model. A broken promise aborts.
 */
#include "promise.h"

#include <string.h>

#include "doctor/source/python_lines.h"
#include "ledger/model.h"

static void check_frames(const struct model *m)
{
    for (size_t i = 0; i < m->frame_count; i++) {
        uint32_t id = (uint32_t)i + 1;
        unsigned depth = 0;

        PROMISE(m->frames[i].kind != FRAME_NATIVE || m->frames[i].unit <= m->module_count);
        PROMISE(m->frames[i].kind != FRAME_PYTHON || m->frames[i].unit <= m->code_count);
        for (; id != 0; id = m->frames[id - 1].caller) {
            PROMISE(id <= m->frame_count);
            PROMISE(++depth <= MODEL_DEPTH_MAX);
        }
    }
}

static bool site_is_sound(const struct model *m, uint32_t site)
{
    return site == 0 || (site <= m->site_count && m->sites[site - 1].kind != 0);
}

static void check_sites(const struct model *m)
{
    uint64_t blocks = 0;

    for (size_t i = 0; i < m->site_count; i++) {
        PROMISE(m->sites[i].stack <= m->frame_count);
        PROMISE(m->sites[i].stack == 0 || m->frames[m->sites[i].stack - 1].kind != 0);
        PROMISE(m->sites[i].class_index < LEDGER_CLASSES);
        blocks += m->sites[i].live_blocks;
    }
    PROMISE(blocks <= m->block_count);
    for (size_t i = 0; i < m->block_count; i++) {
        PROMISE(site_is_sound(m, m->blocks[i].site));
        PROMISE(i == 0 || m->blocks[i - 1].address < m->blocks[i].address);
    }
    for (size_t i = 0; i < m->map_count; i++) {
        PROMISE(site_is_sound(m, m->maps[i].site));
        PROMISE(m->maps[i].start + m->maps[i].length > m->maps[i].start);
        PROMISE(i == 0 || m->maps[i - 1].start <= m->maps[i].start);
    }
    for (size_t i = 0; i < m->death_count; i++)
        PROMISE(site_is_sound(m, m->deaths[i].site) && m->deaths[i].birth <= m->deaths[i].death);
}

static void check_spans(const struct model *m)
{
    for (size_t i = 0; i < m->step_count; i++)
        PROMISE(m->steps[i].first <= m->steps[i].last && m->steps[i].first > 0 &&
                (i == 0 || m->steps[i - 1].last < m->steps[i].first));
    for (size_t i = 0; i < m->sample_count; i++)
        PROMISE(m->samples[i].first <= m->samples[i].last && m->samples[i].first > 0 &&
                (i == 0 || m->samples[i - 1].last < m->samples[i].first));
}

/* A text is in the model's own texts or a constant; strlen under the sanitizer checks its end. */
static void check_text(const struct model *m, const char *text)
{
    const char *end = text + strlen(text);

    PROMISE(*text == 0 || (text >= m->texts && end <= m->texts + m->text_size));
}

/* The range is inside the model's own tables; the sanitizer checks the reads. */
static void check_table(const struct model *m, const struct model_code *code)
{
    PROMISE(code->table_size == 0 ||
            (code->table >= m->tables && code->table_size <= m->tables_size &&
             (size_t)(code->table - m->tables) <= m->tables_size - code->table_size));
    (void)python_line(code, 0);
    (void)python_line(code, m->tables_size);
}

static void check_texts(const struct model *m)
{
    check_text(m, m->program);
    check_text(m, m->command);
    check_text(m, m->allocator);
    check_text(m, m->off_reason);
    for (size_t i = 0; i < m->module_count; i++) {
        check_text(m, m->modules[i].path);
        PROMISE(m->modules[i].build_id_size <= sizeof(m->modules[i].build_id));
    }
    for (size_t i = 0; i < m->code_count; i++) {
        check_text(m, m->code[i].file);
        check_text(m, m->code[i].name);
        check_table(m, &m->code[i]);
    }
    for (size_t i = 0; i < m->scope_count; i++)
        check_text(m, m->scopes[i].name);
    for (size_t i = 0; i < m->note_count; i++)
        check_text(m, m->notes[i].text);
    for (size_t i = 0; i < m->process_count; i++) {
        check_text(m, m->process_names[i]);
        if (m->process_untraced[i])
            check_text(m, m->process_untraced[i]);
    }
    for (size_t i = 0; i < m->limit_count; i++)
        check_text(m, m->limit_paths[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct model *model = NULL;
    struct why why = {""};
    const int err = model_load(&model, bytes, size, &why);

    PROMISE((err == 0) == (model != NULL));
    PROMISE(err <= 0 && (err == 0 || why.text[0] != 0));
    if (model) {
        check_frames(model);
        check_sites(model);
        check_spans(model);
        check_texts(model);
        (void)model_live_bytes(model);
        (void)model_live_blocks(model);
    }
    model_free(model);
    return 0;
}
