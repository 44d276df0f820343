/* stack_fold_pure.h - which frames of a deep Python stack stay. Kept apart from the ledger for its tests. */
#ifndef TARE_PROBE_STACK_FOLD_PURE_H
#define TARE_PROBE_STACK_FOLD_PURE_H

#include <stdbool.h>
#include <stdint.h>

#define FOLD_DEEP 40     /* frames; fewer are kept as they are */
#define FOLD_INNERMOST 2 /* that always stay */

/* Frames innermost first, by whether a library's code runs in them. Writes the numbers of those that
 * stay, in order: the innermost, the program's own, and what each of those calls. How many. */
unsigned stack_fold_choose(const bool *library, unsigned count, uint16_t *stay);

#endif /* TARE_PROBE_STACK_FOLD_PURE_H */
