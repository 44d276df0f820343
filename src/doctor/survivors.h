/* survivors.h - what stays of all that one line of the program makes, whatever the stack below it.
 *
 * A compiled function is thousands of small blocks, made by hundreds of stacks: few of them are many
 * enough to be convicted alone. Once some have been, the line is told with all that stayed.
 */
#ifndef TARE_DOCTOR_SURVIVORS_H
#define TARE_DOCTOR_SURVIVORS_H

#include "doctor/visit.h"

struct survivors {
    double rate;  /* bytes per tick that stay, of blocks that have grown old; the least of two spans */
    double bytes; /* alive, of any age */
    double blocks;
};

/* The line is that of a finding's first place. All zero where lines are not known. */
void survivors_of(struct survivors *out, struct visit *visit, const struct place *line);

#endif /* TARE_DOCTOR_SURVIVORS_H */
