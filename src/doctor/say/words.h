/* words.h - small pieces of sentences that several parts of the doctor say alike. */
#ifndef TARE_DOCTOR_WORDS_H
#define TARE_DOCTOR_WORDS_H

#include "doctor/facts/diagnosis.h"

struct text; /* base/text.h */

/* "file.c:12 in function", as much of it as is known; in the arena. */
const char *words_place(struct arena *arena, const struct place *place);

/* Where a finding is: the line that stores it if that is known, else the line that allocates. */
const struct place *words_where(const struct finding *finding); /* NULL: neither */

/* "64.0 KB per step (63.9 KB to 64.1 KB)". */
const char *words_rate(struct arena *arena, const struct interval *rate, const char *unit);

/* Appends the text of a remedy, and where its code goes: "Store only the number. In place of
 * train.py:21:". */
void words_fix(struct text *out, const struct remedy *remedy);

#endif /* TARE_DOCTOR_WORDS_H */
