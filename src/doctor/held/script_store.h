/* script_store.h - the JavaScript statement that stores the blocks of a finding.
 *
 * It does the work of store.h for findings whose holder comes from a heap snapshot. A helper reads
 * the program's source (adapters/node/store.cjs). A Map or an object that is read by key and only
 * grows is a cache without a bound.
 */
#ifndef TARE_DOCTOR_SCRIPT_STORE_H
#define TARE_DOCTOR_SCRIPT_STORE_H

#include "doctor/measure/visit.h"

void script_store_find(struct visit *visit);

#endif /* TARE_DOCTOR_SCRIPT_STORE_H */
