/* source_map_json.h - the parts of a source map's document, as they lie in its bytes. */
#ifndef TARE_DOCTOR_SOURCE_MAP_JSON_H
#define TARE_DOCTOR_SOURCE_MAP_JSON_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Between the quotes of a string, escapes and all. bytes NULL: it is null, or missing. */
struct span {
    const char *bytes; /* borrowed from the document */
    size_t size;
};

struct source_map_parts {
    struct span mappings, root;
    struct span *sources, *texts; /* owned */
    size_t source_count, text_count;
};

int source_map_take_apart(struct source_map_parts *out, const char *bytes, size_t size,
                          struct why *why);
void source_map_parts_fini(struct source_map_parts *parts); /* accepts zeroes */

/* Appends a string without its escapes. What is no UTF-8 stays as it is. */
void source_map_unescape(struct text *out, const struct span *string);

#endif /* TARE_DOCTOR_SOURCE_MAP_JSON_H */
