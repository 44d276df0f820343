/* doubt_pure.h - in which order memory is followed that may hold stale words.
 *
 * A word of native memory that looks like a pointer may be one, or it may be left over from what lay there
 * before. So each path through native memory is doubted: for every block that it leads through, by the bits
 * that it takes to say which of the block's words it uses. A word of 24 bytes that a class fills says much,
 * one of the 500 words in a page of an allocator's says little. What a language's own functions have shown
 * adds no doubt.
 *
 * Things are followed in order of doubt. A thing's own doubt is added before it is followed, so whatever
 * reaches a thing first is the path to it that is doubted least.
 */
#ifndef TARE_PROBE_DOUBT_PURE_H
#define TARE_PROBE_DOUBT_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOUBT_SLOTS 64u /* one block adds less doubt than this */

struct doubt_slot {
    uint32_t *list;
    uint32_t head, tail, room;
};

/* Zeroed, but for `grow`. */
struct doubt_queue {
    struct doubt_slot slots[DOUBT_SLOTS]; /* a slot for each doubt from `now` on, in turn */
    uint64_t filled;                      /* a bit for each slot that is not empty */
    uint32_t now;                         /* doubt of what was taken last */
    /* Makes *(void **)list longer, from 0 bytes on; it may move. False: no memory. */
    bool (*grow)(void *list, size_t bytes, size_t new_bytes);
};

/* What a word of a block of this size adds. `buffer`: it may hold what lay there before it was made. */
uint32_t doubt_of(size_t bytes, bool buffer);

/* Doubted by so much more than what was taken last. False: no memory. */
bool doubt_put(struct doubt_queue *queue, uint32_t one, uint32_t more);
/* The one that is doubted least, of several the one that came first. False: there is none. */
bool doubt_take(struct doubt_queue *queue, uint32_t *one);
/* The one that comes after so many others, if it is doubted as much as the last one taken; 0: not known. */
uint32_t doubt_ahead(const struct doubt_queue *queue, uint32_t others);
/* Forgets what is waiting, and begins without doubt. */
void doubt_restart(struct doubt_queue *queue);

#endif /* TARE_PROBE_DOUBT_PURE_H */
