/* digest_parts.h - shared by live/digest*.c only. */
#ifndef TARE_LIVE_DIGEST_PARTS_H
#define TARE_LIVE_DIGEST_PARTS_H

#include "live/digest.h"

struct run; /* ledger/model.h */

/* Fills the two curves, from the samples of the run and the steps of its processes. */
int digest_curves(struct digest *digest, const struct run *run, struct why *why);

#endif /* TARE_LIVE_DIGEST_PARTS_H */
