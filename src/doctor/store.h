/* store.h - the statement that stores what a finding holds, found in the program's source.
 *
 * The allocation's line says where memory is made; what a person would change is the line that keeps
 * it. It is looked for, from the holder's path, by a helper process that parses the source
 * (adapters/python/store). Where there is no interpreter or no source it stays unknown.
 */
#ifndef TARE_DOCTOR_STORE_H
#define TARE_DOCTOR_STORE_H

#include "doctor/diagnosis.h"

struct arena;  /* base/arena.h */
struct places; /* doctor/places.h */
struct text;   /* base/text.h */
struct visit;  /* doctor/visit.h */

/* Fills stored_at, store and remedy of those of findings[count] whose holder's path is known.
 * `report` gives the places that grow; its own findings are not read. */
void store_find(struct finding *findings, size_t count, const struct process_report *report,
                const struct visit *visit);

/* For questions to such a helper: "name":"value", NULL as ""; and the steps of the holder's path. */
void store_put_text(struct text *out, const char *name, const char *value);
void store_put_path(struct text *out, const struct finding *finding);

enum store_language { STORE_PYTHON, STORE_SCRIPT };

/* Fills in one finding from one answer of the helper, lines of "name value" up to an empty one.
 * Returns what follows it. */
const char *store_read(struct finding *out, const char *answer, enum store_language language,
                       struct places *places, struct arena *arena);

#endif /* TARE_DOCTOR_STORE_H */
