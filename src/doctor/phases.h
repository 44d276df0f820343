/* phases.h - the phases of a run: its start, the loading, the training, what came after.
 *
 * What an earlier phase has built is its result. Growth is a leak only where it goes on in a phase that runs
 * until the end, or that comes again. So a loop that is over is no clock to judge by, and the turns of two
 * loops are not added up.
 */
#ifndef TARE_DOCTOR_PHASES_H
#define TARE_DOCTOR_PHASES_H

#include <stdbool.h>

#include "ledger/model.h"

struct arena;

/* Turns of one loop without those of another in between. */
struct phase_stretch {
    uint64_t begin, end; /* of the count of all turns: those behind `begin`, up to `end` */
    uint64_t before;     /* turns of this loop in earlier stretches */
};

/* A loop of the program, in all its phases. */
struct phase_loop {
    uint32_t unit, offset; /* as in phase_record */
    const struct phase_stretch *stretches; /* oldest first */
    size_t stretch_count;
    uint64_t turns;
    uint64_t from;   /* ordinal in which it began */
    uint64_t around; /* turns of the loops around others, before it */
    uint64_t work;   /* as in phase_record: until its last turn … */
    uint64_t after;  /* … and in all that followed */
    uint64_t lasted; /* nanoseconds from the first to the last turn of its stretches … */
    uint64_t since;  /* … and from its last turn to the end of the run */
    uint64_t pause;  /* as in phase_record: the longest of all its phases */
    uint64_t absence; /* the most work of other phases after which it came again */
    bool library;    /* of a library that calls the program: too many turns are not seen for a clock */
    bool over;       /* other work has followed */
};

struct phases {
    const struct phase_loop *loops; /* in the order in which they began */
    size_t loop_count;
    bool known; /* the ledger tells them; an old one does not */
};

/* Memory of the arena. */
void phases_read(struct phases *out, const struct model *model, struct arena *arena);

/* Does a loop go on that the program's work repeats in? */
bool phases_go_on(const struct phases *phases);

/* Turns of this loop, where all loops have made so many. */
uint64_t phases_turns(const struct phase_loop *loop, uint64_t all);

#endif /* TARE_DOCTOR_PHASES_H */
