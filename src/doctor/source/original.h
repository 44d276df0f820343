/* original.h - lines of scripts that were generated (TypeScript, bundles) as lines of their sources.
 *
 * A script is what was run: the text that was compiled in memory where that is known, else its file. One
 * that names a source map in its last comment, inline or a file beside it, is shown as what it
 * was made from. Nothing is fetched from the network. Maps are read once, when first asked for.
 */
#ifndef TARE_DOCTOR_ORIGINAL_H
#define TARE_DOCTOR_ORIGINAL_H

#include <stdbool.h>
#include <stddef.h>

struct arena;   /* base/arena.h */
struct as_run;  /* doctor/source/as_run.h */
struct originals;
struct sources; /* doctor/source/source.h */

/* Both are borrowed for its life; what is given out lies in `arena`. NULL: no memory. */
struct originals *originals_new(struct sources *sources, struct arena *arena);
void originals_free(struct originals *originals); /* accepts NULL */

/* Scripts that were compiled in memory, from now on; borrowed for its life, may be NULL. */
void originals_use(struct originals *originals, struct as_run *as_run);

/* Replaces the position by its original; false: there is none, and it stays. Column 0: not known. */
bool originals_find(struct originals *originals, const char **file, unsigned *line, unsigned column);

/* One sentence about the maps that were used, or could not be; NULL: there were none. */
const char *originals_note(const struct originals *originals);

#endif /* TARE_DOCTOR_ORIGINAL_H */
