/* page.h - lines of a text report: labels, folding, colour, and hostile text made harmless. */
#ifndef TARE_REPORT_PAGE_H
#define TARE_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "doctor/facts/diagnosis.h"

#define PAGE_WIDTH 100
#define PAGE_LABEL 12 /* columns before the text of a labelled line */
#define PAGE_TEXT  1024

#define PAGE_CHANGED "(the source has changed since the run)" /* stands for the line then */

enum tone { TONE_PLAIN, TONE_BOLD, TONE_GOOD, TONE_BAD, TONE_UNSURE, TONE_FAINT };

struct page {
    FILE *out; /* borrowed */
    bool color;
    size_t width;         /* columns at which lines are folded: PAGE_WIDTH */
    char home[PAGE_TEXT]; /* the working directory and a slash; left out of paths below it */
    size_t home_length;   /* bytes of `home` */
};

void page_init(struct page *page, FILE *out, bool color);

/* Writes `text` in this tone. It must be a text of tare itself. */
void page_tone(struct page *page, enum tone tone, const char *text);

/* Writes a question and its answer in this tone, folded at PAGE_WIDTH. */
void page_answer(struct page *page, const char *question, enum tone tone, const char *text);

/* Writes a labelled line, folded at PAGE_WIDTH; the text may be hostile. A label of "" continues the line
 * before. */
void page_line(struct page *page, const char *label, const char *text);
void page_print(struct page *page, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, cut to `most` lines. */
void page_brief(struct page *page, const char *label, const char *text, size_t most);

/* How many lines page_line would write. */
size_t page_height(const struct page *page, const char *text);

/* One line of code, indented, cut where the page ends. */
void page_code(struct page *page, const char *label, const char *code);
/* All lines of code that is to be pasted: nothing is cut. */
void page_code_whole(struct page *page, const char *label, const char *code);

/* Writes the source line of a place, or that the source has changed, or nothing. */
void page_quote(struct page *page, const struct place *place);

/* Puts "file:line in function", as far as known, into text[size]; the function's name is cut to `width`
 * columns. The result may still be hostile: page_line makes it harmless. */
void page_place(const struct page *page, const struct place *place, char *text, size_t size,
                size_t width);

/* The same without the function: "file:line", or the function where no file is known. */
void page_line_name(const struct page *page, const struct place *place, char *text, size_t size);

/* A file's path, relative if it is below the working directory. */
const char *page_file(const struct page *page, const char *file);

/* Puts a name, cut to `width` columns, into text[size]. */
void page_name(const char *name, char *text, size_t size, size_t width);

/* "15 ms", "0.5 s", "12 s", "3 min", "2.0 h", "4 days". */
const char *page_seconds(char out[TEXT_SIZE_MAX], double seconds);

#endif /* TARE_REPORT_PAGE_H */
