/* places.h - the stacks of one process as places in its source.
 *
 * Leading frames that only serve the user's code (runtimes.h) are left out: the first place is the
 * innermost one of the user's. A stack without any is given whole. Only stacks that are asked for
 * are looked up, once each.
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

/* All but the result are borrowed for its life; places lie in `arena`. NULL: no memory. */
struct places *places_new(const struct model *model, struct symbols *symbols,
                          struct sources *sources, struct arena *arena);
void places_free(struct places *places); /* accepts NULL */

/* *count is 0 for stack 0, a forged id, and when memory has run out. */
void places_of(struct places *places, uint32_t stack, const struct place **out, size_t *count);

/* The place of an instruction of a Python function, in the arena; NULL: not known. */
const struct place *places_python(struct places *places, uint32_t unit, uint64_t offset);

/* The variable at this offset of a module, as "name (file.c:12)"; NULL: not known. */
const char *places_variable(struct places *places, uint32_t unit, uint64_t offset);

/* Puts the text of its line into a place, or that the file has changed since. */
void places_quote(struct places *places, struct place *place);

/* The sources that all this is read from. */
struct sources *places_sources(const struct places *places);

/* Asks for every file that a stack of the process can name, so that all of them are recorded. */
void places_visit_sources(struct places *places);

/* Where the files of the run lie: scripts that were compiled in memory may be among them (as_run.h). */
void places_look_in(struct places *places, const char *directory);

/* The text of such a script; NULL: `path` is none. */
const char *places_as_run(const struct places *places, const char *path, size_t *size);

/* The same position in what a script was made from (original.h); false: it stays as it is. */
bool places_original(struct places *places, const char **file, unsigned *line, unsigned column);

/* What is to be said once about source maps; NULL: nothing. */
const char *places_note(const struct places *places);

/* Sentences about modules that could not be read, met so far; borrowed from the arena. */
size_t places_problems(const struct places *places, const char *const **out);

#endif /* TARE_DOCTOR_PLACES_H */
