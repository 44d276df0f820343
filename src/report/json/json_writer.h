/* json_writer.h - JSON that is valid whatever is put into it.
 *
 * It adds commas and indentation itself. Texts become valid UTF-8, with control characters and marks of
 * direction as \u escapes. Numbers that JSON cannot write (infinity, NaN) become null.
 */
#ifndef TARE_REPORT_JSON_WRITER_H
#define TARE_REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct json {
    FILE *out;          /* borrowed */
    struct text buffer; /* owned: the string being written */
    unsigned depth;     /* open objects and lists */
    bool first;         /* the innermost object or list is still empty */
    bool tight;         /* without line breaks and indentation */
    size_t longest;     /* longer strings are cut to so many bytes; 0: no limit */
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
