/* store_advice.h - what to change at the line that stores. The kind of statement and the types
 * on the holder's path decide. */
#ifndef TARE_DOCTOR_STORE_ADVICE_H
#define TARE_DOCTOR_STORE_ADVICE_H

#include "doctor/facts/diagnosis.h"

/* The advice for a finding whose storing statement is known. If the statement gives none, it
 * keeps its advice. */
enum remedy_name store_advice(const struct finding *finding);

/* The same for a JavaScript statement. */
enum remedy_name store_advice_script(const struct finding *finding);

#endif /* TARE_DOCTOR_STORE_ADVICE_H */
