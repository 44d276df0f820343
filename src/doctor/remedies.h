/* remedies.h - what to change. */
#ifndef TARE_DOCTOR_REMEDIES_H
#define TARE_DOCTOR_REMEDIES_H

#include "doctor/diagnosis.h"

enum remedy_name {
#define REMEDY(name, text, code, setting) REMEDY_##name,
#include "doctor/remedies.def"
#undef REMEDY
};

struct remedy remedy_of(enum remedy_name name);

/* For free memory that this allocator keeps. `pinned`: a trim did not return it. */
struct remedy remedy_for_allocator(const char *allocator, uint64_t threads, bool pinned);

struct arena; /* base/arena.h */

/* Sets the remedy of a finding whose statement of storing is known, in the names of its source. */
void remedy_for_store(struct finding *finding, struct arena *arena);

/* The same where the statement is of JavaScript. */
void remedy_for_script(struct finding *finding, struct arena *arena);

#endif /* TARE_DOCTOR_REMEDIES_H */
