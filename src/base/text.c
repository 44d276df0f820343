/* text.c - see text.h. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* ---- comparing ---- */

bool text_is(const char *text, const char *data)
{
    return text && strcmp(text, data) == 0;
}

bool text_begins(const char *text, const char *data)
{
    return text && strncmp(text, data, strlen(data)) == 0;
}

bool text_ends(const char *text, const char *data)
{
    const size_t length = text ? strlen(text) : 0, tail = strlen(data);

    return text && length >= tail && memcmp(text + length - tail, data, tail) == 0;
}

bool text_has(const char *text, const char *data)
{
    return text && strstr(text, data);
}

bool text_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

const char *text_base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

/* ---- growing ---- */

void text_free(struct text *text)
{
    mem_free(text->bytes);
    *text = (struct text){0};
}

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

/* Room for `more` bytes and a terminator. */
static bool reserve(struct text *text, size_t more)
{
    size_t need, size = text->size ? text->size : 64;
    char *grown;

    if (text->failed)
        return false;
    if (__builtin_add_overflow(text->length + 1, more, &need) || need > SIZE_MAX / 2) {
        text->failed = true;
        return false;
    }
    if (need <= text->size)
        return true;
    while (size < need)
        size *= 2;
    grown = mem_resize(text->bytes, size, 1);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->bytes = grown;
    text->size = size;
    return true;
}

void text_add(struct text *text, const char *more, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length > 0)
        memcpy(text->bytes + text->length, more, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void text_put(struct text *text, const char *more)
{
    if (more)
        text_add(text, more, strlen(more));
}

void text_print(struct text *text, const char *format, ...)
{
    va_list args, again;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length >= 0 && reserve(text, (size_t)length)) {
        (void)vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

/* ---- characters ---- */

size_t text_character(const char *from, size_t length, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t first = length > 0 ? (uint8_t)from[0] : 0x80;
    const size_t size = first < 0x80             ? 1
                        : (first & 0xe0) == 0xc0 ? 2
                        : (first & 0xf0) == 0xe0 ? 3
                        : (first & 0xf8) == 0xf0 ? 4
                                                 : 0;
    uint32_t value = size == 1 ? first : first & (0xffu >> (size + 1));

    if (size == 0 || size > length)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if (((uint8_t)from[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | ((uint8_t)from[i] & 0x3fu);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *character = value;
    return size;
}

size_t text_encode(char out[TEXT_CHARACTER_MAX], uint32_t c)
{
    static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t size;

    if (c == 0 || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        c = 0xfffd;
    size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size; --i > 0; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(leads[size] | c);
    return size;
}

int text_hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void text_decode_url(char *url)
{
    char *to = url;

    for (; *url; url++) {
        const int high = *url == '%' ? text_hex_digit(url[1]) : -1;
        const int low = high >= 0 ? text_hex_digit(url[2]) : -1;
        const bool coded = low >= 0 && (high > 0 || low > 0);

        *to++ = coded ? (char)(high << 4 | low) : *url;
        url += coded ? 2 : 0;
    }
    *to = 0;
}

/* Characters that move, hide or reorder the text around them. */
static bool is_harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe007f);
}

static void add_json(struct text *text, uint32_t character, const char *from, size_t size)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = character > 0 && character < 128 ? strchr(plain, (int)character) : NULL;

    if (found)
        text_print(text, "\\%c", letters[found - plain]);
    else if (is_harmful(character) && character > 0xffff)
        text_print(text, "\\u%04x\\u%04x", 0xd7c0 + (character >> 10), 0xdc00 + (character & 0x3ff));
    else if (is_harmful(character))
        text_print(text, "\\u%04x", character);
    else
        text_add(text, from, size);
}

void text_json(struct text *text, const char *from, size_t length)
{
    uint32_t character;

    text_add(text, "\"", 1);
    for (size_t at = 0; at < length;) {
        const size_t size = text_character(from + at, length - at, &character);

        if (size > 0)
            add_json(text, character, from + at, size);
        else
            text_put(text, "\xef\xbf\xbd");
        at += size > 0 ? size : 1;
    }
    text_add(text, "\"", 1);
}

static void add_safe(struct text *text, uint32_t character, const char *from, size_t size)
{
    if (!is_harmful(character))
        text_add(text, from, size);
    else if (character == '\n')
        text_put(text, "\\n");
    else if (character == '\t')
        text_put(text, "\\t");
    else if (character < 0x80)
        text_print(text, "\\x%02x", character);
    else
        text_print(text, "\\u{%x}", character);
}

void text_safe(struct text *text, const char *from, size_t length)
{
    uint32_t character;

    for (size_t at = 0; at < length;) {
        const size_t size = text_character(from + at, length - at, &character);

        if (size > 0)
            add_safe(text, character, from + at, size);
        else
            text_print(text, "\\x%02x", (uint8_t)from[at]);
        at += size > 0 ? size : 1;
    }
}

/* ---- numbers ---- */

const char *text_size_signed(char out[TEXT_SIZE_MAX], double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    const char *sign = bytes < 0 ? "-" : "";
    double size = bytes < 0 ? -bytes : bytes;
    size_t unit = 0;

    /* 999.5 would be written with four digits. */
    while (size >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        size /= 1024;
        unit++;
    }
    (void)snprintf(out, TEXT_SIZE_MAX, "%s%.*f %s", sign, unit > 0 && size < 99.95 ? 1 : 0, size,
                   units[unit]);
    return out;
}

const char *text_size(char out[TEXT_SIZE_MAX], uint64_t bytes)
{
    return text_size_signed(out, (double)bytes);
}

const char *text_count(char out[TEXT_SIZE_MAX], uint64_t count)
{
    char digits[TEXT_SIZE_MAX];
    const int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    char *to = out;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return out;
}

const char *text_seconds(char out[TEXT_SIZE_MAX], double seconds)
{
    static const struct {
        double below, size;
        int digits;
        const char *unit;
    } scales[] = {
        {9.95, 1, 1, "s"},     {99.5, 1, 0, "s"},      {5970, 60, 0, "min"},
        {35820, 3600, 1, "h"}, {171000, 3600, 0, "h"}, {8.6e7, 86400, 0, "days"},
    };
    unsigned i = 0;

    if (seconds < 0.0995)
        (void)snprintf(out, TEXT_SIZE_MAX, "%.0f ms", seconds * 1000);
    if (seconds < 0.0995)
        return out;
    while (i < sizeof(scales) / sizeof(scales[0]) && seconds >= scales[i].below)
        i++;
    if (i < sizeof(scales) / sizeof(scales[0]))
        (void)snprintf(out, TEXT_SIZE_MAX, "%.*f %s", scales[i].digits, seconds / scales[i].size,
                       scales[i].unit);
    else
        (void)snprintf(out, TEXT_SIZE_MAX, "years");
    return out;
}
