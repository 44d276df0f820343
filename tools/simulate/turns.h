/* turns.h - what counts the work of the simulated program, and the phases that follow from it.
 *
 * The probe sees loops turn (probe/python/loops.c), chooses the one that counts, and records a phase
 * when something else begins to count the work (probe/record/phases.c). The same choices are made
 * here, but from the truth: every turn of every loop is seen. A tick of a pattern is one of three
 * things: a step that the program or a framework reports, a turn of a loop, or work that nothing
 * counts.
 */
#ifndef TARE_SIMULATE_TURNS_H
#define TARE_SIMULATE_TURNS_H

#include <stdbool.h>

#include "ledger/layout.h"
#include "ledger/writer.h"

enum turns_work {
    TURNS_STEPS, /* steps of a clock */
    TURNS_LOOP,  /* turns of a loop */
    TURNS_NONE   /* nothing that is counted: a long call into a library */
};

struct turns {
    enum turns_work work;  /* how the current tick ends */
    enum clock_id clock;   /* TURNS_STEPS: which one ticks */
    uint32_t inner, outer; /* TURNS_LOOP: numbers of the loop that turns and of the one around it; 0: none */
    uint64_t inner_turns, outer_turns; /* since each was entered */

    /* The loop that counts. */
    uint32_t chosen;
    bool inside; /* it lies inside the outer loop that turns now */
    uint64_t chosen_turns;
    uint64_t longest; /* stretch of work between two ticks of the phase */
    uint64_t chosen_time; /* of its latest turn */

    uint32_t around;       /* the outer loop whose turns are counted beside it; 0: none */
    uint64_t new_turns;    /* turns of the chosen loop that have no record yet */
    uint64_t new_around;   /* the same for the outer loop */
    uint64_t last_real;    /* when a clock other than time last ticked */
    uint32_t phase;        /* id of the current phase in the ledger; 0: none */
    uint64_t count[LEDGER_CLOCKS];
};

/* What the next ticks are. A loop that is left starts again from zero. */
void turns_steps(struct turns *turns, enum clock_id clock);
void turns_loop(struct turns *turns, uint32_t loop);
void turns_none(struct turns *turns);

/* The loop around those that follow; 0: there is none. */
void turns_around(struct turns *turns, uint32_t loop);

/* The outer loop turns, before the next tick. */
void turns_next(struct turns *turns, uint64_t now);

/* Ends a tick that took `spent` nanoseconds up to `now`. False: no clock ticked, so there is no record. */
bool turns_tick(struct turns *turns, struct ledger *ledger, uint64_t ordinal, uint64_t now, uint64_t spent);

#endif /* TARE_SIMULATE_TURNS_H */
