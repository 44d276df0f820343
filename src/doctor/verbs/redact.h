/* redact.h - a diagnosis without the program's names, to show to strangers.
 *
 * Names of files, functions, modules, programs and variables, command lines and source lines become
 * hashes. The same name gives the same hash in every report, so reports can be compared. Names of the C
 * library, the allocators and the interpreters stay. Someone who guesses a name can confirm the guess.
 */
#ifndef TARE_DOCTOR_REDACT_H
#define TARE_DOCTOR_REDACT_H

#include "doctor/verbs/profile.h"

/* Changes the diagnosis in place, once. */
int redact_diagnosis(struct diagnosis *d, struct why *why);

/* The same for the stacks of a profile of the same run. */
int redact_profile(struct profile *profile, struct arena *arena, struct why *why);

/* Replaces the letters of a path in place, component by component. Its length and ending stay, and so do
 * the components that the rules need ("site-packages") and the file name of a known runtime. */
void redact_path(char *path, size_t length);

/* The same for those words of a sentence that look like paths or names in code. */
void redact_sentence(char *text, size_t length);

/* Replaces a name by a hash of the same length. */
void redact_letters(char *name, size_t length);

#endif /* TARE_DOCTOR_REDACT_H */
