/* source_map.h - a source map (ECMA-426, version 3): positions in a script that was generated to those in
 * what it was made from.
 *
 * Written in C and not asked of the program's own Node, so that a report can be made where there is none,
 * and because every line of a stack is asked for: one process for each would be too slow. The bytes are
 * hostile. Mappings are not unpacked: they are decoded from the nearest of a few positions that were
 * noted in one pass, so that memory beside the document is a hundredth of it. Maps made of sections are
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
    size_t source; /* which of the sources */
    unsigned line; /* from 1 */
};

/* `bytes` are borrowed for the life of the map. */
int source_map_new(struct source_map **out, const char *bytes, size_t size, struct why *why);
void source_map_free(struct source_map *map); /* accepts NULL */

/* From 1, both. Column 0, not known, or one before the first on its line: the first of the line, unless
 * that is so long that nobody can have written it. False: nothing was made from a source there. */
bool source_map_find(const struct source_map *map, unsigned line, unsigned column,
                     struct source_position *out);

size_t source_map_count(const struct source_map *map); /* of sources */

/* Appends the name of a source with the root of all before it, and its text. False: the map has none. */
bool source_map_name(const struct source_map *map, size_t source, struct text *out);
bool source_map_text(const struct source_map *map, size_t source, struct text *out);

/* The URL in the last comment of a script that names its map; false: there is none. */
bool source_map_url(const char *script, size_t size, const char **url, size_t *length);

/* Appends what a URL "data:…;base64,…" holds. False: it is something else. */
bool source_map_inline(const char *url, size_t length, struct text *out);

#endif /* TARE_DOCTOR_SOURCE_MAP_H */
