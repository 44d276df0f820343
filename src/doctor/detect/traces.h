/* traces.h - functions that a framework compiles again and again. */
#ifndef TARE_DOCTOR_TRACES_H
#define TARE_DOCTOR_TRACES_H

#include "doctor/measure/visit.h"

/* The function on the call path through these places that is compiled again and again, until the
 * end. If there are several: one whose versions are still alive, then the one compiled most.
 * NULL: none. */
const struct model_trace *traces_of(const struct visit *visit, const struct place *places, size_t count);

/* True if at least half of its versions are still alive. */
bool traces_kept(const struct model_trace *trace);

/* True if traces_of() finds a function. */
bool traces_compile(const struct visit *visit, const struct place *places, size_t count);

#endif /* TARE_DOCTOR_TRACES_H */
