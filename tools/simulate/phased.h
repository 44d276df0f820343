/* phased.h - programs that do one thing after another: load, train, evaluate.
 *
 * In the healthy ones what a phase builds is its result, or is released when the phase ends. In the leaky
 * ones another phase leaks, while the load is kept as in the healthy ones.
 */
#ifndef TARE_SIMULATE_PHASED_H
#define TARE_SIMULATE_PHASED_H

#include "play.h"

void load_begin(struct play *play);      /* a fifth to three fifths of the run load */
void long_load_begin(struct play *play); /* nine tenths of it load */
void load_then_loop(struct play *play, uint64_t tick);
void load_then_steps(struct play *play, uint64_t tick);
void load_then_call(struct play *play, uint64_t tick); /* one call, which nothing counts */
void collect_then_use(struct play *play, uint64_t tick);
void load_then_leaky_loop(struct play *play, uint64_t tick);
void load_then_leaky_steps(struct play *play, uint64_t tick);
void second_loop_leaks(struct play *play, uint64_t tick);

void evaluate_begin(struct play *play); /* every n turns of a loop another loop inside it evaluates */
void evaluate_step(struct play *play, uint64_t tick);
void evaluate_leaky_step(struct play *play, uint64_t tick);

void epochs_begin(struct play *play); /* two loops, one after the other, inside a third */
void epochs_step(struct play *play, uint64_t tick);
void epochs_leaky_step(struct play *play, uint64_t tick);
void load_in_parts_step(struct play *play, uint64_t tick);

#endif /* TARE_SIMULATE_PHASED_H */
