/* strip.h - a small copy of a ledger, to be sent to someone: without the space that was reserved and
 * never used. */
#ifndef TARE_DOCTOR_STRIP_H
#define TARE_DOCTOR_STRIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Appends the small ledger to `out`. It gives the same verdict as the original. `redact`: texts are
 * replaced by hashes of the same length. */
int strip_ledger(struct text *out, const void *bytes, size_t size, bool redact, struct why *why);

#endif /* TARE_DOCTOR_STRIP_H */
