/* source_map_json.c - see source_map_json.h. Nothing is recursive. */
#include "doctor/source/source_map_json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define SOURCES_MOST 1000000

struct scan {
    const char *at, *end;
};

/* Skips blanks, commas and colons. 0: the end. */
static char peek(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\n' ||
                                    *scan->at == '\r' || *scan->at == ',' || *scan->at == ':'))
        scan->at++;
    return scan->at < scan->end ? *scan->at : 0;
}

static bool string(struct scan *scan, struct span *out)
{
    const char *at = scan->at + 1;

    while (at < scan->end && *at != '"')
        at += *at == '\\' ? 2 : 1;
    if (at >= scan->end)
        return false;
    *out = (struct span){scan->at + 1, (size_t)(at - scan->at - 1)};
    scan->at = at + 1;
    return true;
}

/* A number, or true, false, null. */
static bool word(struct scan *scan)
{
    const char *from = scan->at;

    while (scan->at < scan->end && !strchr(" \t\r\n,:[]{}\"", *scan->at))
        scan->at++;
    return scan->at > from;
}

/* Skips one value with everything in it. */
static bool skip(struct scan *scan)
{
    size_t depth = 0;
    struct span unused;

    do {
        const char c = peek(scan);

        if (c == '[' || c == '{') {
            depth++;
            scan->at++;
        } else if (c == ']' || c == '}') {
            if (depth == 0)
                return false;
            depth--;
            scan->at++;
        } else if (c == '"' ? !string(scan, &unused) : !word(scan)) {
            return false;
        }
    } while (depth > 0);
    return true;
}

static bool is_string_of(struct scan *scan, struct span *out)
{
    *out = (struct span){NULL, 0};
    return peek(scan) == '"' ? string(scan, out) : skip(scan);
}

/* A list of strings; other values in it count as missing. */
static bool list(struct scan *scan, struct span **out, size_t *count)
{
    size_t room = 0;

    if (*out || peek(scan) != '[')
        return skip(scan);
    scan->at++;
    while (peek(scan) != ']') {
        if (*count == room) {
            struct span *grown;

            room = room ? 2 * room : 64;
            grown = room <= SOURCES_MOST ? mem_resize(*out, room, sizeof(*grown)) : NULL;
            if (!grown)
                return false;
            *out = grown;
        }
        if (!is_string_of(scan, &(*out)[*count]))
            return false;
        (*count)++;
    }
    scan->at++;
    return true;
}

static bool is_named(const struct span *key, const char *name)
{
    return key->size == strlen(name) && memcmp(key->bytes, name, key->size) == 0;
}

static bool member(struct source_map_parts *out, struct scan *scan, const struct span *key)
{
    if (is_named(key, "mappings"))
        return is_string_of(scan, &out->mappings);
    if (is_named(key, "sourceRoot"))
        return is_string_of(scan, &out->root);
    if (is_named(key, "sources"))
        return list(scan, &out->sources, &out->source_count);
    if (is_named(key, "sourcesContent"))
        return list(scan, &out->texts, &out->text_count);
    return skip(scan);
}

int source_map_take_apart(struct source_map_parts *out, const char *bytes, size_t size,
                          struct why *why)
{
    /* Some servers add this first line, so that the document cannot run as a script. */
    const bool guarded = size > 3 && memcmp(bytes, ")]}", 3) == 0;
    const char *line = guarded ? memchr(bytes, '\n', size) : bytes;
    struct scan scan = {line ? line : bytes + size, bytes + size};
    struct span key;

    *out = (struct source_map_parts){0};
    if (peek(&scan) != '{')
        return fail(why, ERR_FORMAT, "it is not a JSON object");
    scan.at++;
    while (peek(&scan) == '"')
        if (!string(&scan, &key) || !member(out, &scan, &key))
            return fail(why, ERR_FORMAT, "it ends early or is damaged at byte %zu",
                        (size_t)(scan.at - bytes));
    if (peek(&scan) != '}')
        return fail(why, ERR_FORMAT, "byte %zu is not valid JSON", (size_t)(scan.at - bytes));
    if (!out->mappings.bytes || out->source_count == 0)
        return fail(why, ERR_FORMAT, "it has no mappings or no sources");
    return 0;
}

void source_map_parts_fini(struct source_map_parts *parts)
{
    mem_free(parts->sources);
    mem_free(parts->texts);
}

/* ---- escapes ---- */

static void put_character(struct text *out, uint32_t c)
{
    char bytes[TEXT_CHARACTER_MAX];

    text_add(out, bytes, text_encode(bytes, c));
}

static bool four_digits(const char *from, const char *end, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = from + i < end ? text_hex_digit(from[i]) : -1;

        if (digit < 0)
            return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* `at` is after "\u". Returns how many bytes the character took. */
static size_t put_unicode(struct text *out, const char *at, const char *end)
{
    uint32_t first, second;

    if (!four_digits(at, end, &first))
        return 0;
    if (first >= 0xD800 && first < 0xDC00 && end - at >= 6 && at[4] == '\\' && at[5] == 'u' &&
        four_digits(at + 6, end, &second) && second >= 0xDC00 && second < 0xE000) {
        put_character(out, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        return 10;
    }
    put_character(out, first);
    return 4;
}

void source_map_unescape(struct text *out, const struct span *string)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *at = string->bytes, *end = at + string->size;

    while (at < end) {
        const char *stop = memchr(at, '\\', (size_t)(end - at));
        const char *known;

        stop = stop ? stop : end;
        text_add(out, at, (size_t)(stop - at));
        if (stop + 1 >= end)
            return;
        at = stop + 2;
        known = stop[1] ? strchr(from, stop[1]) : NULL;
        if (known)
            text_add(out, &to[known - from], 1);
        else if (stop[1] == 'u')
            at += put_unicode(out, at, end);
        else
            text_add(out, stop + 1, 1);
    }
}
