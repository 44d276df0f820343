/* fuzz_model.c - whatever the bytes, model_load ends, and its result keeps its promises.
 *
 * The promises are those of model.h: model_is_valid, and texts terminated inside the model. A broken promise
 * aborts.
 */
#include "promise.h"

#include <string.h>

#include "doctor/source/python_lines.h"
#include "ledger/model.h"

static void check_live_blocks(const struct model *m)
{
    uint64_t blocks = 0;

    for (size_t i = 0; i < m->site_count; i++)
        blocks += m->sites[i].live_blocks;
    PROMISE(blocks <= m->block_count);
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
        PROMISE(model_is_valid(model));
        check_live_blocks(model);
        check_texts(model);
        (void)model_live_bytes(model);
        (void)model_live_blocks(model);
    }
    model_free(model);
    return 0;
}
