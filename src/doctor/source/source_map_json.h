/* source_map_json.h - the parts of a source map, as spans of the bytes of its JSON document.
 *
 * The document is in memory as a whole, and its longest strings are what a caller needs. Documents that do
 * not fit into memory: snapshot/json.h.
 */
#ifndef TARE_DOCTOR_SOURCE_MAP_JSON_H
#define TARE_DOCTOR_SOURCE_MAP_JSON_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* What stands between the quotes of a string, with its escapes. `bytes` NULL: null, or missing. */
struct span {
    const char *bytes; /* borrowed from the document */
    size_t size;
};

struct source_map_parts {
    struct span mappings;    /* the member "mappings" */
    struct span root;        /* "sourceRoot" */
    struct span *sources;    /* "sources"; owned */
    struct span *texts;      /* "sourcesContent"; owned */
    size_t source_count, text_count;
};

/* Fills `out`, which the caller empties with source_map_parts_fini, also after an error. */
int source_map_take_apart(struct source_map_parts *out, const char *bytes, size_t size,
                          struct why *why);
void source_map_parts_fini(struct source_map_parts *parts); /* accepts zeroes */

/* Appends a string with its escapes decoded. Bytes that are not UTF-8 stay as they are. */
void source_map_unescape(struct text *out, const struct span *string);

#endif /* TARE_DOCTOR_SOURCE_MAP_JSON_H */
