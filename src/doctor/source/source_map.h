/* source_map.h - a source map (ECMA-426, version 3): positions in a generated script to positions in its
 * sources.
 *
 * It is written in C, and does not use Node, because a report may be made on a machine without Node, and
 * because every line of a stack is looked up: a process for each would be too slow. The bytes are hostile.
 * Mappings are not unpacked. One pass notes every 256th position, and a query decodes from the nearest one,
 * so the map takes only a hundredth of the document's size in addition to it. Maps made of sections are
 * refused; no compiler in common use writes them.
 */
#ifndef TARE_DOCTOR_SOURCE_MAP_H
#define TARE_DOCTOR_SOURCE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

struct source_map;

struct source_position {
    size_t source; /* index of the source */
    unsigned line; /* from 1 */
};

/* `bytes` are borrowed for the life of the map. */
int source_map_new(struct source_map **out, const char *bytes, size_t size, struct why *why);
void source_map_free(struct source_map *map); /* accepts NULL */

/* The source position of a line and column of the script, both from 1. Column 0 means not known: the first
 * mapping of the line is used, unless the line is too long to be written by hand. A column before the first
 * mapping counts as that mapping's. False: this place was not made from a source. */
bool source_map_find(const struct source_map *map, unsigned line, unsigned column,
                     struct source_position *out);

size_t source_map_count(const struct source_map *map); /* of sources */

/* Appends the name of a source, with the common root first; or its text. False: the map has none. */
bool source_map_name(const struct source_map *map, size_t source, struct text *out);
bool source_map_text(const struct source_map *map, size_t source, struct text *out);

/* The URL in the last comment of a script that names its map; false: there is none. */
bool source_map_url(const char *script, size_t size, const char **url, size_t *length);

/* Appends the content of a URL "data:…;base64,…". False: the URL is not of this form. */
bool source_map_inline(const char *url, size_t length, struct text *out);

#endif /* TARE_DOCTOR_SOURCE_MAP_H */
