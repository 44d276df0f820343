/* utf8.c - see utf8.h. */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static bool continues(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (((unsigned char)text[i] & 0xC0u) != 0x80u)
            return false;
    return true;
}

/* How many bytes the first one announces; 0: it cannot be a first one. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

size_t utf8_read(const char *text, size_t length, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const size_t size = announced(first);
    uint32_t value = size <= 1 ? first : first & (0xFFu >> (size + 1));

    *code = UTF8_REPLACEMENT;
    if (size == 0 || size > length || !continues(text + 1, size - 1))
        return 1;
    for (size_t i = 1; i < size; i++)
        value = value << 6 | ((unsigned char)text[i] & 0x3Fu);
    if (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 1;
    *code = value;
    return size;
}

size_t utf8_write(char out[UTF8_MAX], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

bool utf8_hostile(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x61C, 0x61C},
        {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
        {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0xFFFE, 0xFFFF},
        {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* One character as it may be shown, into part[16]. */
static size_t shown(char *part, uint32_t code)
{
    if (code == '\t') {
        part[0] = ' ';
        return 1;
    }
    if (!utf8_hostile(code))
        return utf8_write(part, code);
    return (size_t)snprintf(part, 16, code < 0x100 ? "\\x%02x" : "\\u{%x}", code);
}

size_t utf8_safe(char *out, size_t size, const char *text, size_t length)
{
    size_t used = 0, at = 0;

    while (at < length && size > 0) {
        char part[16];
        uint32_t code;
        const size_t taken = utf8_read(text + at, length - at, &code);
        const size_t bytes = shown(part, code);

        if (used + bytes >= size)
            break;
        memcpy(out + used, part, bytes);
        used += bytes;
        at += taken;
    }
    if (size > 0)
        out[used] = 0;
    return used;
}
