/* frame.h - one picture for the terminal: lines of text, cut to its width, each in one tone.
 *
 * It does not use the terminal: `--once` prints it, live/screen.h shows it on a screen, and tests read it.
 * Without UTF-8, every character beyond ASCII is replaced.
 */
#ifndef TARE_LIVE_FRAME_H
#define TARE_LIVE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/page.h"

#define FRAME_ROWS_MAX    256
#define FRAME_COLUMNS_MAX 400
#define FRAME_BYTES       (4 * FRAME_COLUMNS_MAX + 1)
#define FRAME_ROWS_MIN    10 /* less is not drawn */
#define FRAME_COLUMNS_MIN 40

struct frame_line {
    char text[FRAME_BYTES]; /* UTF-8 or ASCII, without control characters */
    enum tone tone;
    bool marked; /* the selected line */
};

struct frame {
    unsigned rows, columns;
    bool ascii; /* the terminal does not show UTF-8 */
    struct frame_line lines[FRAME_ROWS_MAX];
};

/* Makes a blank frame of this size, or of the largest possible size. */
void frame_clear(struct frame *frame, unsigned rows, unsigned columns, bool ascii);

/* Sets a line; one below the last row is dropped. Characters that could harm a terminal become escapes. */
void frame_put(struct frame *frame, unsigned row, enum tone tone, const char *text);
void frame_print(struct frame *frame, unsigned row, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The columns of a text, and how many of its bytes fit into so many columns. */
size_t frame_width(const char *text);
size_t frame_fit(const char *text, size_t columns);

/* How many bytes of `text`, which may contain newlines, fit on a row of so many columns when it is folded
 * between words. *skip: blanks to leave out after them. */
size_t frame_fold(const char *text, size_t columns, size_t *skip);

/* All rows as text, without those that are blank at the end. */
void frame_write(const struct frame *frame, FILE *out);

#endif /* TARE_LIVE_FRAME_H */
