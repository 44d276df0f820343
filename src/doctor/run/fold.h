/* fold.h - what is kept of an ended process when its ledger is removed to save room on the disk. */
#ifndef TARE_DOCTOR_FOLD_H
#define TARE_DOCTOR_FOLD_H

#include <stdbool.h>

#include "base/err.h"
#include "ledger/layout.h"

#define FOLD_TEXT 256

/* The record of a ledger's process, without `program`, whose path goes to program[FOLD_TEXT]. False:
 * the ledger is to be kept, because the process has something to report, or it cannot be read. */
bool fold_examine(const char *path, struct folded_record *out, char *program);

#endif /* TARE_DOCTOR_FOLD_H */
