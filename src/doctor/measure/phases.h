/* phases.h - the phases of a run: for example start, loading, training, evaluation.
 *
 * Memory that an earlier phase has built is its result. Growth is a leak only if it continues in a
 * phase that runs until the end or that comes again. So a loop that is over cannot be the clock,
 * and the turns of two loops are not added up.
 */
#ifndef TARE_DOCTOR_PHASES_H
#define TARE_DOCTOR_PHASES_H

#include <stdbool.h>

#include "ledger/model.h"

struct arena;

/* Consecutive turns of one loop, with no turn of another loop in between. */
struct phase_stretch {
    uint64_t begin, end; /* in the count of all turns: the turns after `begin`, up to `end` */
    uint64_t before;     /* turns of this loop in earlier stretches */
};

/* A loop of the program, in all its phases. */
struct phase_loop {
    uint32_t unit, offset; /* as in phase_record */
    const struct phase_stretch *stretches; /* oldest first */
    size_t stretch_count;
    uint64_t turns;  /* its turns in all stretches */
    uint64_t from;   /* ordinal in which it began */
    uint64_t around; /* turns before it, of loops around other loops */
    uint64_t work;   /* work until its last turn, as in phase_record */
    uint64_t after;  /* work after its last turn, as in phase_record */
    uint64_t lasted; /* nanoseconds from the first to the last turn of its stretches */
    uint64_t since;  /* nanoseconds from its last turn to the end of the run */
    uint64_t pause;  /* the longest pause of all its phases, as in phase_record */
    uint64_t absence; /* the most work of other phases between two of its stretches */
    bool library;    /* a library runs it and calls the program; it misses too many turns for a clock */
    bool over;       /* other work has followed */
};

struct phases {
    const struct phase_loop *loops; /* in the order in which they began */
    size_t loop_count;              /* number of loops */
    bool known; /* the ledger has phases; an old ledger has none */
};

/* Reads the loops of a run. The arena owns them. */
void phases_read(struct phases *out, const struct model *model, struct arena *arena);

/* True if a loop that repeats the program's work still runs. */
bool phases_go_on(const struct phases *phases);

/* Turns of this loop at the moment when all loops together had made `all` turns. */
uint64_t phases_turns(const struct phase_loop *loop, uint64_t all);

#endif /* TARE_DOCTOR_PHASES_H */
