/* json_writer.h - JSON that is valid whatever is put into it.
 *
 * Commas and nesting are kept here. Texts become valid UTF-8, with controls and marks of direction
 * written as \u escapes; numbers that JSON has no word for become null.
 */
#ifndef TARE_REPORT_JSON_WRITER_H
#define TARE_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct json {
    FILE *out;          /* borrowed */
    struct text buffer; /* owned: the text being written */
    unsigned depth;
    bool first;     /* nothing is in the innermost object or list so far */
    bool tight;     /* no line breaks, no indentation */
    size_t longest; /* bytes of a text, the rest is cut; 0: any */
};

void json_init(struct json *json, FILE *out);
void json_fini(struct json *json); /* ends the last line */

/* `name` is NULL inside a list and for the outermost value. */
void json_object(struct json *json, const char *name);
void json_list(struct json *json, const char *name);
void json_end(struct json *json, char bracket);                        /* '}' or ']' */
void json_text(struct json *json, const char *name, const char *text); /* NULL: null */
void json_count(struct json *json, const char *name, uint64_t count);
void json_count_or_null(struct json *json, const char *name, uint64_t count); /* 0: null */
void json_whole(struct json *json, const char *name, int64_t number);
void json_number(struct json *json, const char *name, double number);
void json_truth(struct json *json, const char *name, bool truth);
void json_null(struct json *json, const char *name);

#endif /* TARE_REPORT_JSON_WRITER_H */
