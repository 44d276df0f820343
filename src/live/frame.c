/* frame.c - see frame.h. */
#include "live/frame.h"

#include <stdarg.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"

void frame_clear(struct frame *frame, unsigned rows, unsigned columns, bool ascii)
{
    frame->rows = rows < FRAME_ROWS_MAX ? rows : FRAME_ROWS_MAX;
    frame->columns = columns < FRAME_COLUMNS_MAX ? columns : FRAME_COLUMNS_MAX;
    frame->ascii = ascii;
    for (unsigned i = 0; i < frame->rows; i++) {
        frame->lines[i].text[0] = 0;
        frame->lines[i].tone = TONE_PLAIN;
        frame->lines[i].marked = false;
    }
}

/* The bytes and columns of one character. A character that the locale does not know takes one column. */
static size_t next_character(const char *text, size_t *columns, uint32_t *character)
{
    const size_t bytes = text_character(text, strnlen(text, 4), character);
    const int width = bytes ? wcwidth((wchar_t)*character) : 1;

    *columns = width < 0 ? 1 : (size_t)width;
    return bytes ? bytes : 1;
}

size_t frame_fit(const char *text, size_t columns)
{
    size_t at = 0, used = 0;

    while (text[at]) {
        uint32_t character = 0;
        size_t width;
        const size_t bytes = next_character(text + at, &width, &character);

        if (used + width > columns)
            break;
        used += width;
        at += bytes;
    }
    return at;
}

size_t frame_width(const char *text)
{
    size_t used = 0;

    while (*text) {
        uint32_t character = 0;
        size_t width;

        text += next_character(text, &width, &character);
        used += width;
    }
    return used;
}

size_t frame_fold(const char *text, size_t columns, size_t *skip)
{
    const size_t fits = frame_fit(text, columns);
    const char *end = memchr(text, '\n', fits + (text[fits] != 0));
    size_t at = fits;

    *skip = 0;
    if (end || !text[fits])
        return end ? (size_t)(end - text) : fits;
    while (at > 0 && text[at] != ' ')
        at--;
    while (at > 0 && text[at - 1] == ' ')
        at--;
    if (at == 0)
        return fits > 0 ? fits : 1; /* one long word */
    *skip = strspn(text + at, " ");
    return at;
}

/* The replacement of a character in ASCII. */
static const char *plain(uint32_t character)
{
    switch (character) {
    case 0x2026:
        return "~"; /* … */
    case 0x2192:
        return ">"; /* → */
    case 0x2588:
        return "#"; /* █ */
    case 0x00b7:
        return "."; /* · */
    default:
        return "?";
    }
}

static void put_ascii(char *out, size_t size, const char *text)
{
    size_t used = 0;

    while (*text && used + 2 < size) {
        uint32_t character = 0;
        size_t width;
        const size_t bytes = next_character(text, &width, &character);

        out[used++] = bytes == 1 && (unsigned char)*text < 128 ? *text : plain(character)[0];
        text += bytes;
    }
    out[used] = 0;
}

/* The part that fits, with a mark if something is cut. */
static void put_cut(char out[FRAME_BYTES], const char *text, size_t columns)
{
    const size_t all = frame_fit(text, columns);
    size_t fits = all;

    if (text[all])
        fits = columns > 0 ? frame_fit(text, columns - 1) : 0;
    fits = fits < FRAME_BYTES - 4 ? fits : FRAME_BYTES - 4;
    (void)snprintf(out, FRAME_BYTES, "%.*s%s", (int)fits, text,
                   text[all] && columns > 0 ? "…" : "");
}

void frame_put(struct frame *frame, unsigned row, enum tone tone, const char *text)
{
    struct frame_line *line = row < frame->rows ? &frame->lines[row] : NULL;
    struct text safe = {0};

    if (!line)
        return;
    text_safe(&safe, text, strlen(text));
    line->tone = tone;
    if (frame->ascii) {
        char cut[FRAME_BYTES];

        put_cut(cut, text_string(&safe), frame->columns);
        put_ascii(line->text, sizeof(line->text), cut);
    } else {
        put_cut(line->text, text_string(&safe), frame->columns);
    }
    text_free(&safe);
}

void frame_print(struct frame *frame, unsigned row, enum tone tone, const char *format, ...)
{
    char text[2 * FRAME_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    frame_put(frame, row, tone, text);
}

void frame_write(const struct frame *frame, FILE *out)
{
    unsigned rows = frame->rows;

    while (rows > 0 && frame->lines[rows - 1].text[strspn(frame->lines[rows - 1].text, " ")] == 0)
        rows--;
    for (unsigned i = 0; i < rows; i++) {
        const char *text = frame->lines[i].text;
        size_t length = strlen(text);

        while (length > 0 && text[length - 1] == ' ')
            length--;
        (void)fprintf(out, "%.*s\n", (int)length, text);
    }
}
