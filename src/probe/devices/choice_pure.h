/* choice_pure.h - which blocks of a device become samples.
 *
 * A step of training takes thousands of blocks and keeps one: chosen by bytes alone, that one would hardly
 * ever be a sample. So each size has a share of its own. As long as few blocks of a size come, each is a
 * sample; where many come, one in so many, which stands for the others.
 *
 * The counters are updated by many threads without a lock. Where two updates collide, one block more or less
 * is a sample, with the right weight.
 */
#ifndef TARE_PROBE_CHOICE_PURE_H
#define TARE_PROBE_CHOICE_PURE_H

#include <stdint.h>

#define CHOICE_SIZES  64         /* counters; two sizes may share one */
#define CHOICE_WINDOW 100000000u /* nanoseconds */
#define CHOICE_MOST   32         /* samples of one size in a window, before fewer are taken */

/* What is known of the blocks of one size; each field is an atomic of its own. */
struct choice_size {
    uint64_t since; /* when its window began, nanoseconds of the monotonic clock */
    uint32_t born;  /* blocks that came in this window */
    uint32_t taken; /* samples, since `every` was last changed */
    uint32_t every; /* one block in so many is a sample; 0: not set, so each is */
};

struct choice {
    struct choice_size sizes[CHOICE_SIZES];
};

/* How many blocks this one stands for; 0: it is not a sample. `random`: the state of sample_random(). */
uint32_t choice_make(struct choice *choice, uint64_t *random, uint64_t bytes, uint64_t now);

#endif /* TARE_PROBE_CHOICE_PURE_H */
