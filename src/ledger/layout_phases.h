/* layout_phases.h - what the work of a process is counted by, one thing after the other; a part of layout.h.
 *
 * A phase begins when another thing counts the work: steps that the program or a framework tells, or the
 * turns of another loop. The first phase of a process is its start, which nothing counts.
 */
#ifndef TARE_LEDGER_LAYOUT_PHASES_H
#define TARE_LEDGER_LAYOUT_PHASES_H

#include <stdint.h>

enum phase_kind {
    PHASE_START = 0, /* imports and set-up: nothing has ticked yet */
    PHASE_STEPS = 1, /* steps, batches, requests: any clock but those of loops and of time */
    PHASE_LOOP = 2   /* turns of one loop of the program */
};

struct phase_record {
    uint64_t ordinal; /* of the interval in which it began */
    uint64_t time;   /* at which it began */
    uint64_t last;   /* atomic: time of its last tick */
    uint64_t turns;  /* of all loops before it: CLOCK_loop … */
    uint64_t around; /* … and CLOCK_outer */
    uint64_t work;   /* atomic: processor time of the process up to the phase's last tick, nanoseconds */
    uint64_t after;  /* atomic: processor time since then, until the next phase or the end */
    uint32_t kind;   /* enum phase_kind */
    uint32_t unit;   /* PHASE_LOOP: the function, as in FRAME_PYTHON; 0: not known */
    uint32_t offset; /* PHASE_LOOP: where in it the loop begins, in bytes of code */
    uint32_t library; /* PHASE_LOOP: 1: of a library that calls the program, such as an event loop */
    uint64_t pause;  /* atomic: the longest but one stretch of processor time between two ticks */
};

#endif /* TARE_LEDGER_LAYOUT_PHASES_H */
