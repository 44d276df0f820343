/* remedies.c - see remedies.h. */
#include "doctor/say/remedies.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

static const struct remedy remedies[] = {
    {NULL, NULL, NULL}, /* REMEDY_none */
#define REMEDY(name, text, code, setting) {text, code, setting},
#include "doctor/facts/remedies.def"
#undef REMEDY
};

/* ---- filling in ---- */

struct part {
    const char *name, *value;
};

static const struct part *part_at(const struct part *parts, size_t count, const char *at)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(parts[i].name);

        if (strncmp(at, parts[i].name, length) == 0)
            return &parts[i];
    }
    return NULL;
}

static const char *fill(const char *pattern, const struct finding *finding, struct arena *arena)
{
    static const struct store none = {"", "", "", "", "", "", false, false, false};
    const struct store *store = finding->store ? finding->store : &none;
    const struct place *at = finding->stored_at;
    const char *function = at && at->function ? at->function : "";
    const struct part parts[] = {
        {"{container}", store->container}, {"{key}", store->key},   {"{stored}", store->stored},
        {"{head}", store->head},           {"{tail}", store->tail}, {"{function}", function},
        {"{library}", finding->library},
    };
    struct text out = {0};
    const char *kept;

    while (pattern && *pattern) {
        const struct part *part = part_at(parts, sizeof(parts) / sizeof(parts[0]), pattern);

        if (part)
            text_put(&out, part->value);
        else
            text_add(&out, pattern, 1);
        pattern += part ? strlen(part->name) : 1;
    }
    kept = out.length ? arena_text(arena, out.bytes, out.length) : NULL;
    text_free(&out);
    return kept;
}

/* ---- tensors, in the names of the line that makes them ---- */

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

static const char *dispose_by_name(const struct finding *finding, struct arena *arena)
{
    const char *line = finding->allocated_count > 0 ? finding->allocated_at[0].text : NULL;
    const char *name = line ? name_in(line, arena) : NULL;

    return name ? arena_print(arena, "%s.dispose();", name) : NULL;
}

/* ---- the remedy ---- */

static const char *or_null(const char *text)
{
    return text && *text ? text : NULL;
}

/* Python and JavaScript cannot assign to the result of a call. */
static bool assigns_to_call(const struct finding *finding, const char *pattern)
{
    return text_begins(pattern, "{container} = ") && finding->store &&
           text_ends(finding->store->container, ")");
}

static const char *code_of(const struct finding *finding, const char *pattern, struct arena *arena)
{
    const char *code = NULL;

    if (!or_null(pattern) || assigns_to_call(finding, pattern))
        return NULL;
    if (finding->advice_code)
        return finding->advice_code;
    if (finding->advice == REMEDY_dispose || finding->advice == REMEDY_dispose_variables)
        code = dispose_by_name(finding, arena);
    return code ? code : fill(pattern, finding, arena);
}

struct remedy remedy_of(const struct finding *finding, struct arena *arena)
{
    const struct remedy *pattern = &remedies[finding->advice];

    return (struct remedy){.text = fill(pattern->text, finding, arena),
                           .code = code_of(finding, pattern->code, arena),
                           .setting = or_null(pattern->setting)};
}
