/* places.h - the stacks of one process as places in its source.
 *
 * Inner frames that only serve the user's code (runtimes.h) are left out: the first place is the
 * innermost one of the user's code. A stack without user code is returned whole. A stack is looked up when
 * it is needed, once.
 */
#ifndef TARE_DOCTOR_PLACES_H
#define TARE_DOCTOR_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACES_MAX 64 /* places of one stack; the outermost of a deeper one are left out */

struct arena;   /* base/arena.h */
struct model;   /* ledger/model.h */
struct place;   /* doctor/facts/diagnosis.h */
struct places;
struct sources; /* doctor/source/source.h */
struct symbols; /* doctor/source/symbols.h */

/* All arguments are borrowed until places_free; places are in `arena`. NULL: no memory. */
struct places *places_new(const struct model *model, struct symbols *symbols,
                          struct sources *sources, struct arena *arena);
void places_free(struct places *places); /* accepts NULL */

/* The places of a stack, the innermost first. *count is 0 for stack 0, for a forged id, and without
 * memory. */
void places_of(struct places *places, uint32_t stack, const struct place **out, size_t *count);

/* The places of a stack that places_of leaves out, from the innermost on, without those that only serve. */
void places_left_out(struct places *places, uint32_t stack, const struct place **out, size_t *count);

/* The native frames of a stack, the innermost first: of a block's native part, or, with `left_out`, the
 * native places that places_of leaves out of a whole stack. NULL and 0 if there are none. */
struct native_place; /* doctor/facts/diagnosis.h */
void places_native(struct places *places, uint32_t stack, bool left_out, const struct native_place **out,
                   size_t *count);

/* The run's own ledger, which knows the packages that files belong to. */
void places_use_packages(struct places *places, const struct model *own);

/* The place of an instruction of a Python function, in the arena; NULL: not known. */
const struct place *places_python(struct places *places, uint32_t unit, uint64_t offset);

/* The variable at this offset of a module, as "name (file.c:12)"; NULL: not known. */
const char *places_variable(struct places *places, uint32_t unit, uint64_t offset);

/* Adds to a place the text of its line, or that its file has changed since the run. */
void places_quote(struct places *places, struct place *place);

/* The sources that were given to places_new. */
struct sources *places_sources(const struct places *places);

/* Reads every file that a stack of the process names, so that all of them are recorded. */
void places_visit_sources(struct places *places);

/* The directory of the run, which may have texts of scripts that were compiled in memory (as_run.h). */
void places_look_in(struct places *places, const char *directory);

/* The text of such a script; NULL: none was recorded for this path. */
const char *places_as_run(const struct places *places, const char *path, size_t *size);

/* Replaces a position in a generated script by the one in its source (original.h). False: unchanged. */
bool places_original(struct places *places, const char **file, unsigned *line, unsigned column);

/* A sentence about source maps, for the report; NULL: none. */
const char *places_note(const struct places *places);

/* Sentences about the modules that could not be read so far; they are in the arena. */
size_t places_problems(const struct places *places, const char *const **out);

#endif /* TARE_DOCTOR_PLACES_H */
