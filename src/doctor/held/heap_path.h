/* heap_path.h - finds the holder of growing JavaScript memory in a heap snapshot.
 *
 * The snapshot is a file next to the ledger and is read once, at the end. Objects in it that are
 * younger than the first suspicion are the survivors. The holder is the path to most of their
 * bytes.
 */
#ifndef TARE_DOCTOR_HEAP_PATH_H
#define TARE_DOCTOR_HEAP_PATH_H

#include "doctor/measure/visit.h"

/* Fills held_by and the path of the findings that objects of the heap hold. If there is no
 * readable snapshot, it only adds a note. */
void heap_path_find(struct visit *visit);

/* Without a snapshot the findings that need one get the reason, as the probe has recorded it. */
void heap_path_refused(struct visit *visit);

#endif /* TARE_DOCTOR_HEAP_PATH_H */
