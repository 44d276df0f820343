/* original.h - lines of generated scripts (TypeScript, bundles) as lines of their sources.
 *
 * The text of a script is the one that was compiled in memory, if the probe recorded it, else its file. If
 * its last comment names a source map, inline or as a file, positions are translated to the sources that
 * the script was made from. Nothing is fetched from the network. Each map is read once, at its first use.
 */
#ifndef TARE_DOCTOR_ORIGINAL_H
#define TARE_DOCTOR_ORIGINAL_H

#include <stdbool.h>
#include <stddef.h>

struct arena;   /* base/arena.h */
struct as_run;  /* doctor/source/as_run.h */
struct originals;
struct sources; /* doctor/source/source.h */

/* Both are borrowed until originals_free; results are in `arena`. NULL: no memory. */
struct originals *originals_new(struct sources *sources, struct arena *arena);
void originals_free(struct originals *originals); /* accepts NULL */

/* From now on, takes the texts of scripts from `as_run` first; borrowed until originals_free, may be NULL. */
void originals_use(struct originals *originals, struct as_run *as_run);

/* Replaces a position in a script by the one in its source. False: no source is known, and the position is
 * unchanged. Column 0: not known. */
bool originals_find(struct originals *originals, const char **file, unsigned *line, unsigned column);

/* A sentence about the maps that were used or could not be used; NULL: no script had a map. */
const char *originals_note(const struct originals *originals);

#endif /* TARE_DOCTOR_ORIGINAL_H */
