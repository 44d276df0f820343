/* text.h - text that grows, sizes as people write them, hostile text made harmless, and characters
 * decoded.
 *
 * Names in a ledger come from programs, files and symbols: they may hold anything. text_json makes
 * them valid JSON; text_safe makes them harmless to a terminal. Both accept bytes that are not
 * UTF-8.
 */
#ifndef TARE_BASE_TEXT_H
#define TARE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For data alone: names of files, types, variables and the like. What a sentence of ours says is never
 * compared; `make lint` refuses strcmp and its kin with a literal in src/doctor. NULL counts as no text. */
bool text_is(const char *text, const char *data);
bool text_begins(const char *text, const char *data);
bool text_ends(const char *text, const char *data);
bool text_has(const char *text, const char *data);

bool text_same(const char *a, const char *b); /* also where both are NULL */
const char *text_base_name(const char *path); /* what follows the last slash; NULL for NULL */

/* Zeroed: empty. If memory is refused the text stays as it was and `failed` is set, so a caller may
 * check once, at the end. */
struct text {
    char *bytes; /* owned, terminated; NULL while empty */
    size_t length, size;
    bool failed;
};

void text_free(struct text *text);
const char *text_string(const struct text *text); /* never NULL; borrowed until the next change */

void text_add(struct text *text, const char *more, size_t length);
void text_put(struct text *text, const char *more); /* terminated; NULL adds nothing */
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. Characters that text_safe
 * would escape become \u escapes, so the document is harmless on a terminal, too. */
void text_json(struct text *text, const char *from, size_t length);

/* For a terminal: control characters, those that change the direction of writing, and bytes that
 * are not UTF-8 are written as escapes (\n, \x1b, \u{202e}). A backslash stays as it is: the result
 * is for people, not for parsing. */
void text_safe(struct text *text, const char *from, size_t length);

/* "0 B", "999 B", "1.5 KB", "123 MB": powers of 1,024, three digits at most. */
#define TEXT_SIZE_MAX 32
const char *text_size(char out[TEXT_SIZE_MAX], uint64_t bytes);
const char *text_size_signed(char out[TEXT_SIZE_MAX], double bytes);

/* "1,234,567" */
const char *text_count(char out[TEXT_SIZE_MAX], uint64_t count);

/* Reads one UTF-8 character from from[length]. Returns how many bytes it takes, or 0 if the bytes
 * are not a character (also overlong forms, surrogates, and codes above U+10FFFF). */
size_t text_character(const char *from, size_t length, uint32_t *character);

/* The other way: writes the UTF-8 bytes of a character and returns how many. The byte 0, surrogates
 * and codes above U+10FFFF become U+FFFD. */
#define TEXT_CHARACTER_MAX 4
size_t text_encode(char out[TEXT_CHARACTER_MAX], uint32_t character);

/* The value of a hexadecimal digit, or -1. */
int text_hex_digit(int character);

/* Decodes %20 and the like, in place. %00 stays as it is. */
void text_decode_url(char *url);

/* "15 ms", "0.5 s", "12 s", "3 min", "2.0 h", "4 days". */
const char *text_seconds(char out[TEXT_SIZE_MAX], double seconds);

#endif /* TARE_BASE_TEXT_H */
