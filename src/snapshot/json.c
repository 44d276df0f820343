/* json.c - see json.h. */
#include "snapshot/json.h"

#include <string.h>

#include "base/text.h"

void json_begin(struct json *json, json_source *source, void *data)
{
    json->source = source;
    json->data = data;
    json->at = json->filled = json->length = 0;
    json->number = 0;
    json->text[0] = 0;
}

/* The next byte, without consuming it; -1: there is none. */
static int peek(struct json *json)
{
    if (json->at == json->filled) {
        json->at = 0;
        json->filled = json->source(json->data, json->buffer, sizeof(json->buffer));
        if (json->filled == 0 || json->filled > sizeof(json->buffer)) {
            json->filled = 0;
            return -1;
        }
    }
    return (unsigned char)json->buffer[json->at];
}

static int take(struct json *json)
{
    const int byte = peek(json);

    json->at += byte >= 0;
    return byte;
}

/* ---- strings ---- */

/* Once something did not fit, nothing more is kept, so that no text has a gap. */
static void keep(struct json *json, const char *bytes, size_t count, bool *full)
{
    if (*full || count > JSON_TEXT - json->length) {
        *full = true;
        return;
    }
    memcpy(json->text + json->length, bytes, count);
    json->length += count;
}

static void keep_character(struct json *json, uint32_t c, bool *full)
{
    char out[TEXT_CHARACTER_MAX];

    keep(json, out, text_encode(out, c), full);
}

static bool four_digits(struct json *json, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = text_hex_digit(take(json));

        if (digit < 0)
            return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* Lone surrogates and the byte 0 become U+FFFD. */
static bool escape(struct json *json, uint32_t *half, bool *full)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const int byte = take(json);
    const char *found = byte > 0 ? strchr(from, byte) : NULL;
    uint32_t c;

    if (found) {
        *half = 0;
        keep(json, &to[found - from], 1, full);
        return true;
    }
    if (byte != 'u' || !four_digits(json, &c))
        return false;
    if (*half && c >= 0xDC00 && c < 0xE000) {
        keep_character(json, 0x10000 + ((*half - 0xD800) << 10) + (c - 0xDC00), full);
        *half = 0;
        return true;
    }
    *half = c >= 0xD800 && c < 0xDC00 ? c : 0;
    if (!*half)
        keep_character(json, c, full);
    return true;
}

/* A text that was cut ends with a whole character. */
static void end_text(struct json *json, bool full)
{
    if (full) {
        while (json->length > 0 && ((unsigned char)json->text[json->length - 1] & 0xC0) == 0x80)
            json->length--;
        if (json->length > 0 && (unsigned char)json->text[json->length - 1] >= 0xC0)
            json->length--;
    }
    json->text[json->length] = 0;
}

static enum json_token read_string(struct json *json)
{
    uint32_t half = 0;
    bool full = false;
    int byte;

    json->length = 0;
    while ((byte = take(json)) != '"') {
        const char kept = (char)byte;

        if (byte < 0)
            return JSON_BAD;
        if (byte == '\\') {
            if (!escape(json, &half, &full))
                return JSON_BAD;
            continue;
        }
        half = 0;
        keep(json, byte ? &kept : "?", 1, &full);
    }
    end_text(json, full);
    return JSON_STRING;
}

/* ---- the rest ---- */

static enum json_token read_number(struct json *json)
{
    const bool below = peek(json) == '-';
    uint64_t number = 0;

    json->at += below;
    if (peek(json) < '0' || peek(json) > '9')
        return JSON_BAD;
    while (peek(json) >= '0' && peek(json) <= '9') {
        const uint64_t digit = (uint64_t)(take(json) - '0');

        number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
    }
    while (peek(json) > 0 && strchr(".eE+-0123456789", peek(json)))
        (void)take(json);
    json->number = below ? 0 : number;
    return JSON_NUMBER;
}

static enum json_token read_word(struct json *json)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (peek(json) != words[i][0])
            continue;
        for (const char *c = words[i]; *c; c++)
            if (take(json) != *c)
                return JSON_BAD;
        return JSON_WORD;
    }
    return JSON_BAD;
}

enum json_token json_next(struct json *json)
{
    int byte = peek(json);

    while (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == ',' || byte == ':') {
        json->at++;
        byte = peek(json);
    }
    if (byte == '-' || (byte >= '0' && byte <= '9'))
        return read_number(json);
    if (byte < 0)
        return JSON_END;
    if (byte >= 'a' && byte <= 'z')
        return read_word(json);
    json->at++;
    switch (byte) {
    case '{':
        return JSON_OPEN;
    case '}':
        return JSON_CLOSE;
    case '[':
        return JSON_LIST;
    case ']':
        return JSON_UNLIST;
    case '"':
        return read_string(json);
    default:
        return JSON_BAD;
    }
}

bool json_skip(struct json *json, enum json_token token)
{
    uint64_t depth = 0;

    for (;; token = json_next(json)) {
        if (token == JSON_END || token == JSON_BAD)
            return false;
        if (token == JSON_OPEN || token == JSON_LIST)
            depth++;
        else if (token == JSON_CLOSE || token == JSON_UNLIST) {
            if (depth == 0)
                return false;
            depth--;
        }
        if (depth == 0)
            return true;
    }
}
