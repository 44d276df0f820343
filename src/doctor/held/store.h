/* store.h - the statement that stores the blocks of a finding, found in the program's source.
 *
 * The allocation's line says where memory is made, but a person would change the line that keeps
 * it. A helper process parses the source and searches for that line with the holder's path
 * (adapters/python/store). Without an interpreter or the source, the line stays unknown.
 */
#ifndef TARE_DOCTOR_STORE_H
#define TARE_DOCTOR_STORE_H

#include "doctor/facts/diagnosis.h"

struct arena;  /* base/arena.h */
struct places; /* doctor/source/places.h */
struct text;   /* base/text.h */
struct visit;  /* doctor/measure/visit.h */

/* Fills stored_at, store and remedy of those of findings[count] whose holder's path is known.
 * `report` has the places that grow; its findings are not read. */
void store_find(struct finding *findings, size_t count, const struct process_report *report,
                const struct visit *visit);

/* Writes a part of the question to the helper: "name":"value" (NULL as ""). */
void store_put_text(struct text *out, const char *name, const char *value);

/* Writes the steps of the holder's path into the question. */
void store_put_path(struct text *out, const struct finding *finding);

/* Fills in one finding from one answer of the helper: lines of "name value" up to an empty line.
 * Returns the text after the answer. */
const char *store_read(struct finding *out, const char *answer, enum language language,
                       struct places *places, struct arena *arena);

#endif /* TARE_DOCTOR_STORE_H */
