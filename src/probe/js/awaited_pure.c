/* awaited_pure.c - see awaited_pure.h. */
#include "probe/js/awaited_pure.h"

#include <string.h>

#define NUMBER_MOST 100000000u
#define MARK        "async "

/* The digits before `*end`, and the colon before them. */
static bool number_before(const char *start, const char **end, uint32_t *out)
{
    const char *at = *end;
    uint32_t scale = 1;

    *out = 0;
    while (at > start && at[-1] >= '0' && at[-1] <= '9' && scale <= NUMBER_MOST) {
        *out += (uint32_t)(*--at - '0') * scale;
        scale *= 10;
    }
    if (at == *end || at == start || at[-1] != ':' || *out > NUMBER_MOST)
        return false;
    *end = at - 1;
    return true;
}

static const char *find(const char *from, const char *end, const char *what)
{
    return memmem(from, (size_t)(end - from), what, strlen(what));
}

static bool is_place(const char *start, const char *end, struct awaited *out)
{
    if (!number_before(start, &end, &out->column) || !number_before(start, &end, &out->line))
        return false;
    out->file = start;
    out->file_length = (size_t)(end - start);
    return out->file_length > 0;
}

/* "Object.load [as later]" is load. */
static void set_name(const char *start, const char *end, struct awaited *out)
{
    const char *as = find(start, end, " [as ");
    const char *dot;

    end = as ? as : end;
    dot = memrchr(start, '.', (size_t)(end - start));
    start = dot ? dot + 1 : start;
    out->name = start;
    out->name_length = (size_t)(end - start);
}

static bool is_awaited(const char *start, const char *end, struct awaited *out)
{
    const char *open = end > start && end[-1] == ')' ? find(start, end, " (") : NULL;

    if (!open)
        return is_place(start, end, out);
    set_name(start, open, out);
    return is_place(open + 2, end - 1, out);
}

/* Node 18 prints no end of line between two frames: there one ends with its bracket, or its column. */
static const char *next_mark(const char *from, const char *at, const char *end)
{
    const char *found = at;

    while ((found = find(found, end, MARK)) && found > from && found[-1] != '\n' &&
           found[-1] != ')' && !(found[-1] >= '0' && found[-1] <= '9'))
        found++;
    return found;
}

bool awaited_next(const char **at, const char *end, struct awaited *out)
{
    const char *start = *at, *mark;

    while ((mark = next_mark(start, *at, end))) {
        const char *const first = mark + strlen(MARK);
        const char *const line = memchr(first, '\n', (size_t)(end - first));
        const char *const other = next_mark(start, first, line ? line : end);

        *at = other ? other : line ? line + 1 : end;
        *out = (struct awaited){.name = "", .file = ""};
        if (is_awaited(first, other ? other : line ? line : end, out))
            return true;
    }
    *at = end;
    return false;
}
