/* page.c - see page.h. */
#include "report/page.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

void page_init(struct page *page, FILE *out, bool color)
{
    *page = (struct page){.out = out, .color = color, .width = PAGE_WIDTH};
    if (getcwd(page->home, sizeof(page->home) - 1)) {
        page->home_length = strlen(page->home);
        if (page->home_length > 1)
            page->home[page->home_length++] = '/';
    }
}

static const char *tone_code(const struct page *page, enum tone tone)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "",         [TONE_BOLD] = "\033[1m",      [TONE_GOOD] = "\033[1;32m",
        [TONE_BAD] = "\033[1;31m", [TONE_UNSURE] = "\033[1;33m", [TONE_FAINT] = "\033[2m",
    };

    return page->color ? codes[tone] : "";
}

static const char *tone_end(const struct page *page)
{
    return page->color ? "\033[0m" : "";
}

void page_tone(struct page *page, enum tone tone, const char *text)
{
    (void)fprintf(page->out, "%s%s%s", tone_code(page, tone), text, tone_end(page));
}

static size_t characters(const char *text, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xC0u) != 0x80u;
    return count;
}

static void cut(char *text, size_t size, size_t width)
{
    size_t at = 0, count = 0, end = 0;

    for (; text[at]; at++) {
        if (((unsigned char)text[at] & 0xC0u) == 0x80u)
            continue;
        count++;
        if (count == width)
            end = at;
    }
    if (count > width)
        (void)snprintf(text + end, size - end, "…");
}

static void put_label(struct page *page, const char *label)
{
    (void)fputs("  ", page->out);
    page_tone(page, TONE_FAINT, label);
    (void)fprintf(page->out, "%*s", PAGE_LABEL - 2 - (int)characters(label, strlen(label)), "");
}

/* Writes the text folded, or with `silent` only counts, and returns the number of lines. Blanks at the end of
 * a line are not repeated at the beginning of the next. */
static size_t lay(const struct page *page, const char *text, size_t column, size_t most, bool silent)
{
    FILE *out = silent ? NULL : page->out;
    struct text safe = {0};
    size_t lines = 1;
    const char *at;

    text_safe(&safe, text, strlen(text));
    at = text_string(&safe);
    while (*at) {
        const size_t blanks = strspn(at, " "), letters = strcspn(at + blanks, " ");
        const size_t width = characters(at + blanks, letters);
        const bool breaks = column > PAGE_LABEL && column + blanks + width > page->width && letters > 0;
        const size_t skipped = breaks ? blanks : 0;

        if (breaks && most > 0 && lines == most) {
            if (out)
                (void)fputs(" …", out);
            break;
        }
        if (breaks && out)
            (void)fprintf(out, "\n%*s", PAGE_LABEL, "");
        if (out)
            (void)fwrite(at + skipped, 1, blanks - skipped + letters, out);
        lines += breaks;
        column = (breaks ? PAGE_LABEL : column + blanks) + width;
        at += blanks + letters;
    }
    text_free(&safe);
    return lines;
}

static void fold(struct page *page, const char *text, size_t column)
{
    (void)lay(page, text, column, 0, false);
}

size_t page_height(const struct page *page, const char *text)
{
    return lay(page, text, PAGE_LABEL, 0, true);
}

void page_answer(struct page *page, const char *question, enum tone tone, const char *text)
{
    page_tone(page, TONE_BOLD, question);
    (void)fprintf(page->out, " %s", tone_code(page, tone));
    fold(page, text, strlen(question) + 1);
    (void)fprintf(page->out, "%s\n", tone_end(page));
}

void page_line(struct page *page, const char *label, const char *text)
{
    put_label(page, label);
    fold(page, text, PAGE_LABEL);
    (void)fputc('\n', page->out);
}

void page_brief(struct page *page, const char *label, const char *text, size_t most)
{
    put_label(page, label);
    (void)lay(page, text, PAGE_LABEL, most, false);
    (void)fputc('\n', page->out);
}

void page_print(struct page *page, const char *label, const char *format, ...)
{
    char text[4 * PAGE_TEXT];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    page_line(page, label, text);
}

void page_code(struct page *page, const char *label, const char *code)
{
    char text[PAGE_TEXT];

    (void)snprintf(text, sizeof(text), "%s", code);
    cut(text, sizeof(text), PAGE_WIDTH - PAGE_LABEL - 4);
    page_print(page, label, "    %s", text);
}

void page_code_whole(struct page *page, const char *label, const char *code)
{
    struct text safe = {0};

    for (const char *at = code; *at; label = "") {
        const size_t length = strcspn(at, "\n");

        safe.length = 0;
        text_safe(&safe, at, length);
        put_label(page, label);
        (void)fprintf(page->out, "    %s\n", text_string(&safe));
        at += length + (at[length] == '\n');
    }
    text_free(&safe);
}

void page_quote(struct page *page, const struct place *place)
{
    if (place->text)
        page_code(page, "", place->text);
    else if (place->changed)
        page_print(page, "", "    " PAGE_CHANGED);
}

void page_name(const char *name, char *text, size_t size, size_t width)
{
    (void)snprintf(text, size, "%s", name);
    cut(text, size, width);
}

const char *page_file(const struct page *page, const char *file)
{
    const bool below = page->home_length > 0 && strncmp(file, page->home, page->home_length) == 0;

    return below ? file + page->home_length : file;
}

void page_place(const struct page *page, const struct place *place, char *text, size_t size,
                size_t width)
{
    char function[PAGE_TEXT];
    const char *file = place->file ? page_file(page, place->file) : NULL;

    page_name(place->function ? place->function : "?", function, sizeof(function), width);
    if (file)
        (void)snprintf(text, size, "%s:%u in %s", file, place->line, function);
    else if (place->module && !strstr(function, place->module))
        (void)snprintf(text, size, "%s (%s)", function, place->module);
    else
        (void)snprintf(text, size, "%s", function);
}

void page_line_name(const struct page *page, const struct place *place, char *text, size_t size)
{
    if (place->file)
        (void)snprintf(text, size, "%s:%u", page_file(page, place->file), place->line);
    else
        page_place(page, place, text, size, PAGE_TEXT / 2);
}

const char *page_seconds(char out[TEXT_SIZE_MAX], double seconds)
{
    return text_seconds(out, seconds);
}
