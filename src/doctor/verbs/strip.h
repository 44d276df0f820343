/* strip.h - one ledger made small, to be sent to someone: the room it took and never used goes,
 * and with it what nobody needs to judge it. */
#ifndef TARE_DOCTOR_STRIP_H
#define TARE_DOCTOR_STRIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Puts the small ledger into `out`. It is judged like the one it was made from; `redact`: its
 * texts are replaced by hashes of the same length. */
int strip_ledger(struct text *out, const void *bytes, size_t size, bool redact, struct why *why);

#endif /* TARE_DOCTOR_STRIP_H */
