/* remedies.c - see remedies.h. */
#include "doctor/say/remedies.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

struct pattern {
    const char *text, *code, *setting;
    enum fix_lines lines;
};

static const struct pattern patterns[] = {
    {NULL, NULL, NULL, FIX_any}, /* REMEDY_none */
#define LIBRARY(name, holder, operation, calls, where, text, code) {text, code, "", FIX_##where},
#define REMEDY(name, where, text, code, setting) {text, code, setting, FIX_##where},
#include "doctor/facts/libraries.def"
#include "doctor/facts/remedies.def"
#undef LIBRARY
#undef REMEDY
};

/* ---- numbers ---- */

#define LIMIT_SHARE   4    /* of the entries that were seen: the limit takes effect in a run of this length */
#define LIMIT_LEAST   20
#define LIMIT_MOST    1000
#define LIMIT_DEFAULT 100 /* if the container's length was not measured */

/* A round number of entries: 1, 2 or 5 and zeros. */
static unsigned limit_for(unsigned length)
{
    const unsigned most = length / LIMIT_SHARE;
    unsigned limit = 1;

    if (length == 0)
        return LIMIT_DEFAULT;
    if (most >= LIMIT_MOST)
        return LIMIT_MOST;
    while (10 * limit <= most)
        limit *= 10;
    limit *= most >= 5 * limit ? 5 : most >= 2 * limit ? 2 : 1;
    return limit > LIMIT_LEAST ? limit : LIMIT_LEAST;
}

/* ---- names of the line that makes it ---- */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* The name that the statement gives to what it makes: "const sum = a.add(b);". "": none, one of a
 * pattern, or that of the values: "const list = a.dataSync();". */
static const char *name_in(const char *line, struct arena *arena)
{
    static const char *const words[] = {"const ", "let ", "var ", "return "};
    size_t length = 0, after;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            line += strlen(words[i]);
    if (text_has(line, "Sync(") || text_has(line, "await "))
        return "";
    while (in_name(line[length]))
        length++;
    after = length;
    while (line[after] == ' ')
        after++;
    return length > 0 && line[after] == '=' && line[after + 1] != '=' && line[after + 1] != '>'
               ? arena_text(arena, line, length)
               : "";
}

/* ---- filling in ---- */

struct part {
    const char *name, *value;
    bool optional; /* the code is complete without it */
};

#define PARTS 19

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void list_parts(struct part parts[PARTS], const struct finding *finding, struct arena *arena)
{
    static const struct store none = {0};
    const struct store *store = finding->store ? finding->store : &none;
    const struct place *at = finding->stored_at;
    const char *made = finding->allocated_count > 0 ? finding->allocated_at[0].text : NULL;
    const struct part all[PARTS] = {
        {"{container}", store->container, false},
        {"{key}", store->key, false},
        {"{stored}", store->stored, false},
        {"{head}", store->head, true},
        {"{tail}", store->tail, true},
        {"{function}", at ? at->function : NULL, false},
        {"{limit}", arena_print(arena, "%u", limit_for(store->length)), false},
        {"{if}", store->none ? arena_print(arena, "(None if %s is None else ", or_empty(store->stored)) : "",
         true},
        {"{fi}", store->none ? ")" : "", true},
        {"{header}", store->header, false},
        {"{initial}", store->initial, false},
        {"{limited}", store->limited, false},
        {"{imports}", or_empty(store->imports)[0] ? arena_print(arena, "%s\n", store->imports) : "", true},
        {"{carried}", store->carried, false},
        {"{assigned}", store->assigned, false},
        {"{module}", store->module, false},
        {"{called}", store->called, false},
        {"{made}", made ? name_in(made, arena) : NULL, false},
        {"{library}", finding->library, false},
    };

    memcpy(parts, all, sizeof(all));
}

static const struct part *part_at(const struct part *parts, const char *at)
{
    for (size_t i = 0; i < PARTS; i++)
        if (strncmp(at, parts[i].name, strlen(parts[i].name)) == 0)
            return &parts[i];
    return NULL;
}

/* `whole`: NULL if a part that the pattern needs is not known. */
static const char *fill(const char *pattern, const struct part *parts, bool whole, struct arena *arena)
{
    struct text out = {0};
    const char *kept;
    bool lacks = false;

    while (pattern && *pattern) {
        const struct part *part = part_at(parts, pattern);

        if (part) {
            lacks |= !part->optional && !or_empty(part->value)[0];
            text_put(&out, or_empty(part->value));
        } else {
            text_add(&out, pattern, 1);
        }
        pattern += part ? strlen(part->name) : 1;
    }
    kept = out.length && !(whole && lacks) ? arena_text(arena, out.bytes, out.length) : NULL;
    text_free(&out);
    return kept;
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
           text_ends(or_empty(finding->store->container), ")");
}

/* The pattern without its first line, if that is an import that the file has. */
static const char *without_import(const struct finding *finding, const char *pattern)
{
    const char *const imported = finding->store ? finding->store->imported : NULL;
    const char *const end = strchr(pattern, '\n');
    char module[64];

    if (!text_begins(pattern, "import ") || !end || !imported ||
        snprintf(module, sizeof(module), " %.*s ", (int)(end - pattern - 7), pattern + 7) >=
            (int)sizeof(module))
        return pattern;
    return text_has(imported, module) ? end + 1 : pattern;
}

/* The line that is quoted does not name the container: it was made from the one that ran. */
static bool is_of_another_text(const struct finding *finding)
{
    const struct place *at = finding->stored_at;

    return at->changed ||
           (at->script && (!at->text || !text_has(at->text, or_empty(finding->store->container))));
}

/* Sets the code, and where it goes. Where it has no place there is no code. */
static void set_code(struct remedy *out, const struct finding *finding, const struct pattern *pattern,
                     const struct part *parts, struct arena *arena)
{
    const struct fix_span *span;

    if (finding->advice_code) {
        out->code = finding->advice_code;
        return;
    }
    if (!or_null(pattern->code) || assigns_to_call(finding, pattern->code))
        return;
    if (pattern->lines != FIX_any) {
        span = finding->store ? &finding->store->spans[pattern->lines] : NULL;
        if (!span || !finding->stored_at || span->where == FIX_NOWHERE || is_of_another_text(finding))
            return;
        out->file = finding->stored_at->file;
        out->span = *span;
    }
    out->code = fill(without_import(finding, pattern->code), parts, true, arena);
    if (!out->code)
        out->span = (struct fix_span){.where = FIX_NOWHERE};
}

struct remedy remedy_of(const struct finding *finding, struct arena *arena)
{
    const struct pattern *pattern = &patterns[finding->advice];
    struct remedy out = {.setting = or_null(pattern->setting)};
    struct part parts[PARTS];

    list_parts(parts, finding, arena);
    out.text = fill(pattern->text, parts, false, arena);
    set_code(&out, finding, pattern, parts, arena);
    return out;
}
