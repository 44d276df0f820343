/* heap_path.h - who holds what grows in JavaScript, from the heap as it was written down.
 *
 * The snapshot lies beside the ledger and is read once, at the end. Objects that are younger than the
 * first suspicion and were alive in it are what stays: the way to most of their bytes is the holder.
 */
#ifndef TARE_DOCTOR_HEAP_PATH_H
#define TARE_DOCTOR_HEAP_PATH_H

#include "doctor/visit.h"

/* Fills held_by and the path of the findings that objects of the heap hold. A snapshot that is not there
 * or cannot be read changes nothing but a note. Returns that note, or NULL. */
const char *heap_path_find(struct visit *visit);

#endif /* TARE_DOCTOR_HEAP_PATH_H */
