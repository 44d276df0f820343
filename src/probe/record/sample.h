/* sample.h - the cold path: what happens to the blocks that are kept, one by one.
 *
 * A sampled block's inclusion chance is 1 - exp(-s / rate) for the largest size s it has had
 * (realloc takes only its growth off the countdown), or 1 while its class is watched.
 */
#ifndef TARE_PROBE_SAMPLE_H
#define TARE_PROBE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/core/thread.h"

/* What realloc has to put back. */
struct sample_kept {
    bool sampled;
    struct block_record block;
};

/* The countdown has ended on this block, or its class is watched. */
void sample_born(struct thread *thread, void *block, size_t usable, const void *frame)
    __attribute__((cold));

/* Puts a sampled block into the live table and its site. `address`: of memory, or of a device's. */
void sample_keep(struct ledger *ledger, uint64_t address, const struct block_record *record);

/* The filter says this block may be a sample: it is about to be released. */
void sample_dead(void *block) __attribute__((cold));

/* realloc: takes the entry out before the real call. */
void sample_lift(void *block, struct sample_kept *kept);
/* After realloc: puts the entry back, at its new address and size; `usable` is unchanged when
 * the call failed. A block that has grown into another size class belongs to the line that made
 * it grow. */
void sample_drop(void *block, size_t usable, struct sample_kept *kept, const void *frame);

/* After realloc: lets the entry go, because the call released the block. */
void sample_gone(const struct sample_kept *kept);

#endif /* TARE_PROBE_SAMPLE_H */
