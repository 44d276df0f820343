/* stack_fold.h - deep Python stacks that lead through libraries, made short.
 *
 * A framework that compiles a function passes through a hundred frames of its own, in thousands of
 * ways: kept whole, they fill the table of stacks within one training, and what comes later has no place
 * in it. Of a deep stack the innermost frames stay, and all frames of the program with the one that
 * each of them calls.
 */
#ifndef TARE_PROBE_STACK_FOLD_H
#define TARE_PROBE_STACK_FOLD_H

#include "ledger/writer.h"
#include "probe/stack_native.h"

/* Python frames by unit, innermost first; how many are left. */
unsigned stack_fold(const struct ledger *ledger, struct native_frame *frames, unsigned count);

void stack_fold_reset(void); /* a new process: its code is numbered anew */

#endif /* TARE_PROBE_STACK_FOLD_H */
