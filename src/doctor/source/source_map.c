/* source_map.c - see source_map.h. source_map_json.c reads the JSON document. */
#include "doctor/source/source_map.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/sorted.h"
#include "doctor/source/source_map_json.h"

#define EVERY       256 /* one of so many mappings is noted */
#define LONG        500 /* columns; a longer line is minified code, made from many lines */
#define DIGITS_MOST 7   /* of a number: 32 bits and the sign */

/* How far decoding has come. Lines, columns and sources count from 0. */
struct state {
    size_t at;             /* bytes of the mappings that are decoded */
    uint32_t line, column; /* in the script */
    int64_t source;        /* index of the source of the latest mapping that has one */
    int64_t original;      /* line in that source */
    bool has_source;       /* the mapping just decoded has a source */
};

struct source_map {
    struct source_map_parts parts; /* spans of the document */
    struct state *noted;           /* owned; the beginning, and every EVERY-th mapping */
    size_t noted_count;
};

/* ---- numbers ---- */

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* A base64 VLQ: a digit has five bits of the number and one that says whether more digits follow, lowest
 * first. The lowest bit of the number is its sign. */
static bool number_at(const struct span *mappings, size_t *at, int64_t *out)
{
    int64_t value = 0;

    for (unsigned i = 0; i < DIGITS_MOST && *at < mappings->size; i++) {
        const int digit = digit_of(mappings->bytes[*at]);

        if (digit < 0)
            return false;
        (*at)++;
        value |= (int64_t)(digit & 31) << (5 * i);
        if (!(digit & 32)) {
            *out = value & 1 ? -(value >> 1) : value >> 1;
            return true;
        }
    }
    return false;
}

/* ---- mappings ---- */

static bool is_end(const struct span *mappings, size_t at)
{
    return at >= mappings->size || mappings->bytes[at] == ',' || mappings->bytes[at] == ';';
}

/* A mapping has 1, 4 or 5 numbers: [column, source, line, column, name], each relative to the one before. */
static bool segment(const struct span *mappings, struct state *state)
{
    int64_t number, column = state->column;
    unsigned count = 0;

    for (; !is_end(mappings, state->at); count++) {
        if (count == 5 || !number_at(mappings, &state->at, &number))
            return false;
        column += count == 0 ? number : 0;
        state->source += count == 1 ? number : 0;
        state->original += count == 2 ? number : 0;
    }
    state->has_source = count >= 4;
    state->column = (uint32_t)column;
    return count != 2 && count != 3 && column >= 0 && column <= INT_MAX && state->source >= 0 &&
           state->source <= INT_MAX && state->original >= 0 && state->original < INT_MAX;
}

/* Decodes the next mapping: 1; at the end: 0; the bytes are not mappings: -1. */
static int next(const struct span *mappings, struct state *state)
{
    while (state->at < mappings->size &&
           (mappings->bytes[state->at] == ',' || mappings->bytes[state->at] == ';')) {
        if (mappings->bytes[state->at] == ';') {
            if (state->line == INT_MAX)
                return -1;
            state->line++;
            state->column = 0;
        }
        state->at++;
    }
    if (state->at == mappings->size)
        return 0;
    return segment(mappings, state) ? 1 : -1;
}

static size_t count_mappings(const struct span *mappings)
{
    size_t count = 1;

    for (size_t i = 0; i < mappings->size; i++)
        count += is_end(mappings, i);
    return count;
}

/* Notes the beginning, and every EVERY-th mapping. */
static int note_all(struct source_map *map, struct why *why)
{
    const struct span *mappings = &map->parts.mappings;
    const size_t room = count_mappings(mappings) / EVERY + 2;
    struct state state = {0};
    int more = 1;

    map->noted = mem_zalloc_array(room, sizeof(*map->noted));
    if (!map->noted)
        return fail(why, ERR_NOMEM, "no room for a source map");
    map->noted_count = 1;
    for (size_t i = 1; (more = next(mappings, &state)) == 1; i++)
        if (i % EVERY == 0 && map->noted_count < room)
            map->noted[map->noted_count++] = state;
    return more == 0 ? 0 : fail(why, ERR_FORMAT, "byte %zu of its mappings is not valid", state.at);
}

int source_map_new(struct source_map **out, const char *bytes, size_t size, struct why *why)
{
    struct source_map *map = mem_zalloc(sizeof(*map));
    int err = map ? 0 : fail(why, ERR_NOMEM, "no room for a source map");

    *out = NULL;
    if (!err)
        err = source_map_take_apart(&map->parts, bytes, size, why);
    if (!err)
        err = note_all(map, why);
    if (err) {
        source_map_free(map);
        return err;
    }
    *out = map;
    return 0;
}

void source_map_free(struct source_map *map)
{
    if (map) {
        source_map_parts_fini(&map->parts);
        mem_free(map->noted);
    }
    mem_free(map);
}

/* ---- queries ---- */

static bool is_by(const void *noted, const void *place)
{
    const struct state *state = noted, *wanted = place;

    return state->line < wanted->line ||
           (state->line == wanted->line && state->column <= wanted->column);
}

/* The last noted mapping at or before this place; decoding starts there. The first one is the beginning. */
static const struct state *start_of(const struct source_map *map, uint32_t line, uint32_t column)
{
    const struct state place = {.line = line, .column = column};
    const size_t count =
        sorted_before(map->noted, map->noted_count, sizeof(*map->noted), is_by, &place);

    return &map->noted[count > 0 ? count - 1 : 0];
}

/* Does the line continue beyond LONG columns from this state? */
static bool is_long(const struct source_map *map, struct state state, uint32_t line)
{
    bool more = true;

    while (more && state.line == line && state.column <= LONG)
        more = next(&map->parts.mappings, &state) == 1;
    return more && state.line == line;
}

bool source_map_find(const struct source_map *map, unsigned line, unsigned column,
                     struct source_position *out)
{
    const uint32_t wanted = line - 1, place = column ? column - 1 : 0;
    const struct state *from = line ? start_of(map, wanted, place) : NULL;
    struct state state = from ? *from : (struct state){0};
    bool found = from && from != map->noted && from->line == wanted;
    bool has_source = found && from->has_source;

    if (found)
        *out = (struct source_position){(size_t)from->source, (unsigned)from->original + 1};
    while (from && next(&map->parts.mappings, &state) == 1 && state.line <= wanted) {
        if (state.line < wanted)
            continue;
        if (state.column > place && (has_source || (found && column)))
            break;
        if (state.has_source)
            *out = (struct source_position){(size_t)state.source, (unsigned)state.original + 1};
        has_source = state.has_source;
        found = true;
        if (state.column > place && has_source)
            break;
    }
    return has_source && out->source < map->parts.source_count &&
           (column || !is_long(map, state, wanted));
}

size_t source_map_count(const struct source_map *map)
{
    return map->parts.source_count;
}

bool source_map_name(const struct source_map *map, size_t source, struct text *out)
{
    const struct span *root = &map->parts.root;

    if (source >= map->parts.source_count || !map->parts.sources[source].bytes)
        return false;
    if (root->size > 0) {
        source_map_unescape(out, root);
        if (out->length > 0 && text_string(out)[out->length - 1] != '/')
            text_put(out, "/");
    }
    source_map_unescape(out, &map->parts.sources[source]);
    return !out->failed;
}

bool source_map_text(const struct source_map *map, size_t source, struct text *out)
{
    if (source >= map->parts.text_count || !map->parts.texts[source].bytes)
        return false;
    source_map_unescape(out, &map->parts.texts[source]);
    return !out->failed;
}

/* ---- the map of a script ---- */

static const char *last_comment(const char *script, size_t size)
{
    static const char mark[] = "# sourceMappingURL=";
    const size_t length = sizeof(mark) - 1;

    for (size_t i = size; i-- > 2;)
        if ((script[i] == '#' || script[i] == '@') && size - i > length &&
            memcmp(script + i + 1, mark + 1, length - 1) == 0 && script[i - 1] == '/' &&
            script[i - 2] == '/')
            return script + i + length;
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool source_map_url(const char *script, size_t size, const char **url, size_t *length)
{
    const char *at = last_comment(script, size);
    const char *end = at;

    while (end && end < script + size && !is_blank(*end) && *end != '"' && *end != '\'')
        end++;
    *url = at;
    *length = at ? (size_t)(end - at) : 0;
    return *length > 0;
}

static void put_base64(struct text *out, const char *from, size_t length)
{
    uint32_t bits = 0;
    unsigned count = 0;

    for (size_t i = 0; i < length; i++) {
        const int digit = digit_of(from[i]);
        char byte;

        if (digit < 0)
            break; /* padding */
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            byte = (char)(bits >> count & 255);
            text_add(out, &byte, 1);
        }
    }
}

bool source_map_inline(const char *url, size_t length, struct text *out)
{
    static const char mark[] = ";base64,";
    const char *comma = length > 5 && memcmp(url, "data:", 5) == 0 ? memchr(url, ',', length) : NULL;

    if (!comma || (size_t)(comma - url) < sizeof(mark) - 2 ||
        memcmp(comma - (sizeof(mark) - 2), mark, sizeof(mark) - 1) != 0)
        return false;
    put_base64(out, comma + 1, length - (size_t)(comma + 1 - url));
    return out->length > 0 && !out->failed;
}
