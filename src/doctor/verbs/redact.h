/* redact.h - a diagnosis that may be shown to strangers.
 *
 * Names of files, functions, modules, programs and variables, command lines and source lines become
 * hashes: the same name gives the same hash in every report, so that reports can be compared. Names
 * of the C library, the allocators and the interpreters stay. Who can guess a name can confirm it.
 */
#ifndef TARE_DOCTOR_REDACT_H
#define TARE_DOCTOR_REDACT_H

#include "doctor/verbs/profile.h"

/* Changes the diagnosis in place, once. */
int redact_diagnosis(struct diagnosis *d, struct why *why);

/* The same for the stacks of a profile, made from the same run. */
int redact_profile(struct profile *profile, struct arena *arena, struct why *why);

/* Replaces the letters of a path in place, component by component, keeping its length, its ending
 * and the components that the rules look at ("site-packages"); a path of a known runtime stays. */
void redact_path(char *path, size_t length);

/* The same for words of a sentence that look like paths or names in code; others stay. */
void redact_sentence(char *text, size_t length);

/* Replaces a name by a hash of the same length. */
void redact_letters(char *name, size_t length);

#endif /* TARE_DOCTOR_REDACT_H */
