/* script_store.h - the statement of JavaScript that stores what a finding holds.
 *
 * As store.h, for findings whose holder was read from a heap snapshot: asked of a helper that looks at
 * the program's source (adapters/node/store.cjs). A Map or an object that is also read by key, and only
 * grows, is a cache without a bound.
 */
#ifndef TARE_DOCTOR_SCRIPT_STORE_H
#define TARE_DOCTOR_SCRIPT_STORE_H

#include "doctor/visit.h"

void script_store_find(struct visit *visit);

#endif /* TARE_DOCTOR_SCRIPT_STORE_H */
