/* json.h - tokens of a JSON document, read piece by piece.
 *
 * Made for heap snapshots: documents of gigabytes that hold flat rows of whole numbers and a table
 * of strings. Memory is one buffer of fixed size; nothing is recursive. Commas and colons are
 * skipped, so some documents are accepted that are not JSON; none does harm. Documents that are in
 * memory as a whole, and long strings: doctor/source/source_map_json.h.
 */
#ifndef TARE_SNAPSHOT_JSON_H
#define TARE_SNAPSHOT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_BUFFER 65536
#define JSON_TEXT   159 /* bytes of a string that are kept; the rest is skipped */

enum json_token {
    JSON_END,    /* of the document */
    JSON_BAD,    /* these bytes are not JSON, or end within a token */
    JSON_OPEN,   /* { */
    JSON_CLOSE,  /* } */
    JSON_LIST,   /* [ */
    JSON_UNLIST, /* ] */
    JSON_STRING,
    JSON_NUMBER,
    JSON_WORD /* true, false, null */
};

/* Gives the next bytes; 0: there are no more. */
typedef size_t json_source(void *data, char *to, size_t room);

struct json {
    json_source *source;
    void *data; /* borrowed, for `source` */
    char buffer[JSON_BUFFER];
    size_t at, filled;
    char text[JSON_TEXT + 1]; /* of the latest string: UTF-8, terminated, never cut in a character */
    size_t length;
    uint64_t number; /* the latest; a fraction is dropped, below 0: 0, too large: UINT64_MAX */
};

void json_begin(struct json *json, json_source *source, void *data);
enum json_token json_next(struct json *json);

/* Skips the rest of a value whose first token was `token`. False: the document is bad. */
bool json_skip(struct json *json, enum json_token token);

#endif /* TARE_SNAPSHOT_JSON_H */
