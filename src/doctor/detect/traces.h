/* traces.h - functions that a framework compiles again and again. */
#ifndef TARE_DOCTOR_TRACES_H
#define TARE_DOCTOR_TRACES_H

#include "doctor/measure/visit.h"

/* The function that was compiled more and more often on the call path to these blocks. If there
 * are several: the one whose versions are still alive, then the one compiled most. NULL: none. */
const struct model_trace *traces_of(const struct visit *visit, const struct place *places, size_t count);

/* Are most of its versions still alive? */
bool traces_kept(const struct model_trace *trace);

/* Is a function on the call path through these places compiled again and again, until the end? */
bool traces_compile(const struct visit *visit, const struct place *places, size_t count);

#endif /* TARE_DOCTOR_TRACES_H */
