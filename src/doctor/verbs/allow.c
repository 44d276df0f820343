/* allow.c - see allow.h. */
#include "doctor/verbs/allow.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/facts/diagnosis.h"

#define KEYWORD "leak:"

/* ---- patterns ---- */

/* Matches `pattern` at the beginning of `text`, and up to its end if `whole`. After a mismatch only the last
 * star is tried again: an earlier star could not match more than this one can. */
static bool fits_here(const char *pattern, size_t length, const char *text, bool whole)
{
    const char *star = NULL, *resume = text;
    size_t at = 0, after_star = 0;

    while (at < length || (whole && *text)) {
        if (at < length && pattern[at] == '*') {
            star = pattern + at;
            after_star = ++at;
            resume = text;
        } else if (at < length && *text && pattern[at] == *text) {
            at++;
            text++;
        } else if (star && *resume) {
            at = after_star;
            text = ++resume;
        } else {
            return false;
        }
    }
    return true;
}

bool allow_fits(const char *pattern, const char *text)
{
    const bool from_start = pattern[0] == '^';
    size_t length;
    bool whole;

    pattern += from_start;
    length = strlen(pattern);
    whole = length > 0 && pattern[length - 1] == '$';
    length -= whole;
    for (;; text++) {
        if (fits_here(pattern, length, text, whole))
            return true;
        if (from_start || !*text)
            return false;
    }
}

static bool fits_place(const char *pattern, const struct place *place)
{
    return (place->function && allow_fits(pattern, place->function)) ||
           (place->file && allow_fits(pattern, place->file)) ||
           (place->module && allow_fits(pattern, place->module));
}

const struct allow_rule *allow_find(struct allow *allow, const struct finding *finding)
{
    for (size_t i = 0; allow && i < allow->count; i++) {
        struct allow_rule *rule = &allow->rules[i];
        bool found = finding->stored_at && fits_place(rule->pattern, finding->stored_at);

        for (size_t k = 0; k < finding->allocated_count && !found; k++)
            found = fits_place(rule->pattern, &finding->allocated_at[k]);
        if (found) {
            rule->used++;
            return rule;
        }
    }
    return NULL;
}

/* ---- the file ---- */

struct line {
    const char *text;
    size_t length;
};

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

static struct line trimmed(const char *text, size_t length)
{
    while (length > 0 && is_blank(text[0])) {
        text++;
        length--;
    }
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    return (struct line){text, length};
}

static const char *joined(const char *reason, struct line comment, struct arena *arena)
{
    comment = trimmed(comment.text + 1, comment.length - 1);
    if (comment.length == 0)
        return reason;
    return reason ? arena_print(arena, "%s %.*s", reason, (int)comment.length, comment.text)
                  : arena_text(arena, comment.text, comment.length);
}

static size_t count_lines(const char *text, size_t length)
{
    size_t count = 1;

    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

static int add_rule(struct allow *out, struct line line, const char *reason, unsigned number,
                    struct arena *arena, struct why *why)
{
    const size_t keyword = strlen(KEYWORD);

    if (line.length <= keyword || !text_begins(line.text, KEYWORD))
        return fail(why, ERR_USAGE, "%s:%u: a suppression is \"leak:PATTERN\", not \"%.*s\"",
                    out->name, number, (int)(line.length < 60 ? line.length : 60), line.text);
    out->rules[out->count++] = (struct allow_rule){
        .pattern = arena_text(arena, line.text + keyword, line.length - keyword),
        .reason = reason,
        .line = number};
    return 0;
}

/* A reason applies to all lines after it, up to the next blank line or comment. */
int allow_parse(struct allow *out, const char *name, const char *text, size_t length,
                struct arena *arena, struct why *why)
{
    const char *reason = NULL, *end = text + length;
    bool used = false;
    unsigned number = 0;
    int err = 0;

    *out = (struct allow){.name = name};
    out->rules = arena_take(arena, count_lines(text, length), sizeof(*out->rules));
    if (!out->rules)
        return fail(why, ERR_NOMEM, "%s: no memory for its lines", name);
    while (text < end && !err) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const struct line line = trimmed(text, (size_t)((stop ? stop : end) - text));

        number++;
        if (line.length == 0 || (line.text[0] == '#' && used))
            reason = NULL;
        if (line.length > 0 && line.text[0] == '#')
            reason = joined(reason, line, arena);
        else if (line.length > 0)
            err = add_rule(out, line, reason, number, arena, why);
        used = line.length > 0 && line.text[0] != '#';
        text = stop ? stop + 1 : end;
    }
    if (!err && arena_failed(arena))
        err = fail(why, ERR_NOMEM, "%s: no memory for its lines", name);
    return err;
}
