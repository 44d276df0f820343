/* stack_fold.h - deep Python stacks that lead through libraries, made short.
 *
 * A framework that compiles a function passes through a hundred frames of its own, in thousands of
 * ways: kept whole, they fill the table of stacks within one training, and what comes later has no place
 * in it. Of a deep stack the innermost frames stay, and all frames of the program with the one that
 * each of them calls.
 */
#ifndef TARE_PROBE_STACK_FOLD_H
#define TARE_PROBE_STACK_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/unwind/stack_native.h"

#define FOLD_DEEP 40     /* frames; fewer are kept as they are */
#define FOLD_INNERMOST 2 /* that always stay */

/* Frames innermost first, by whether a library's code runs in them. Writes the numbers of those that
 * stay, in order: the innermost, the program's own, and what each of those calls. How many. */
static inline unsigned stack_fold_choose(const bool *library, unsigned count, uint16_t *stay)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++) {
        const bool called_by_program = i + 1 < count && !library[i + 1];

        if (count <= FOLD_DEEP || i < FOLD_INNERMOST || called_by_program || !library[i])
            stay[kept++] = (uint16_t)i;
    }
    return kept;
}

/* Python frames by unit, innermost first; how many are left. */
unsigned stack_fold(const struct ledger *ledger, struct native_frame *frames, unsigned count);

void stack_fold_forked(void); /* a new process: its code is numbered from 1 again */

#endif /* TARE_PROBE_STACK_FOLD_H */
