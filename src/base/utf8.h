/* utf8.h - texts that came from elsewhere, made fit to be shown.
 *
 * File names, source lines, symbols and notes may hold any bytes. What is not UTF-8 becomes the
 * replacement character; what could move a cursor, hide text or turn its direction is written out.
 */
#ifndef TARE_BASE_UTF8_H
#define TARE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xFFFDu
#define UTF8_MAX 4 /* bytes of one character */

/* Reads one character from text[length], length > 0: its bytes, at least 1. Bytes that are no
 * character give UTF8_REPLACEMENT, one byte at a time. */
size_t utf8_read(const char *text, size_t length, uint32_t *code);

size_t utf8_write(char out[UTF8_MAX], uint32_t code);

/* Controls, marks of direction, and what has no width: never sent to a terminal as they are. */
bool utf8_hostile(uint32_t code);

/* Copies text[length] into out[size], terminated and cut at a whole character: valid UTF-8 without
 * hostile characters. A tab becomes a blank; the others are written out, as \x1b or \u{202e}. */
size_t utf8_safe(char *out, size_t size, const char *text, size_t length);

#endif /* TARE_BASE_UTF8_H */
