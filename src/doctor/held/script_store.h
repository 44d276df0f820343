/* script_store.h - finds the JavaScript statement that stores the blocks of a finding.
 *
 * It does what store.h does, for findings whose holder comes from a heap snapshot. A helper reads
 * the program's source (adapters/node/store.cjs). A Map or an object that is read by key and only
 * grows is an unbounded cache.
 */
#ifndef TARE_DOCTOR_SCRIPT_STORE_H
#define TARE_DOCTOR_SCRIPT_STORE_H

#include "doctor/measure/visit.h"

/* Fills stored_at, store and remedy of the findings that have a path from a heap snapshot. */
void script_store_find(struct visit *visit);

#endif /* TARE_DOCTOR_SCRIPT_STORE_H */
