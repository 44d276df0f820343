/* remedies_tensors.c - see remedies_tensors.h. */
#include "doctor/remedies_tensors.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "doctor/remedies.h"
#include "ledger/site_kind.h"

#define ASYNC_TIDY "tf.tidy() was given an async function" /* as the adapter's note begins */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* The name that the statement gives to what it makes: "const sum = a.add(b);". NULL: none, or one of a
 * pattern. */
static const char *name_in(const char *line, struct arena *arena)
{
    static const char *const words[] = {"const ", "let ", "var ", "return "};
    size_t length = 0, after;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            line += strlen(words[i]);
    while (in_name(line[length]))
        length++;
    after = length;
    while (line[after] == ' ')
        after++;
    return length > 0 && line[after] == '=' && line[after + 1] != '=' && line[after + 1] != '>'
               ? arena_text(arena, line, length)
               : NULL;
}

static bool is_async(const struct model *model)
{
    for (size_t i = 0; i < model->note_count; i++)
        if (strncmp(model->notes[i].text, ASYNC_TIDY, sizeof(ASYNC_TIDY) - 1) == 0)
            return true;
    return false;
}

static enum remedy_name choose(const struct finding *finding, const struct model *model, uint32_t site)
{
    if (finding->held_by && strstr(finding->held_by, "registered variables"))
        return REMEDY_dispose_variables;
    if (finding->held_by && strstr(finding->held_by, "never ended"))
        return REMEDY_end_scope;
    if (model->sites[site].kind != SITE_TENSOR)
        return REMEDY_let_go;
    return is_async(model) ? REMEDY_dispose_async : REMEDY_dispose;
}

void remedy_for_tensors(struct finding *finding, const struct model *model, uint32_t site,
                        struct arena *arena)
{
    const enum remedy_name which = choose(finding, model, site);
    const char *line = finding->allocated_count > 0 ? finding->allocated_at[0].text : NULL;
    const char *name = line ? name_in(line, arena) : NULL;

    finding->remedy = remedy_of(which);
    if (name && (which == REMEDY_dispose || which == REMEDY_dispose_variables))
        finding->remedy.code = arena_print(arena, "%s.dispose();", name);
}
