/* small_objects_pure.h - when small objects are worth a closer look, and how close a look may be.
 *
 * Plain functions of their arguments.
 */
#ifndef TARE_PROBE_SMALL_OBJECTS_PURE_H
#define TARE_PROBE_SMALL_OBJECTS_PURE_H

#include <stdbool.h>
#include <stdint.h>


#define SMALL_OBJECTS_READINGS 12

/* The latest readings of the number of blocks, oldest first. */
struct small_objects_history {
    uint64_t blocks[SMALL_OBJECTS_READINGS];
    uint64_t steps[SMALL_OBJECTS_READINGS]; /* at which they were made */
    unsigned count;
};

void small_objects_note_reading(struct small_objects_history *history, uint64_t blocks, uint64_t step);

/* Do the objects plainly grow from the first steps on: many at every step, or a few at nearly
 * every one? This decides nothing: it only makes sure that the objects of a short program are on
 * record. */
bool small_objects_grow(const struct small_objects_history *history);

#define SMALL_OBJECTS_RATE_ALL 1u /* mean bytes between samples at which every object is one */
#define SMALL_OBJECTS_RATE_MOST (1u << 20)

uint64_t small_objects_coarser(uint64_t rate);
uint64_t small_objects_finer(uint64_t rate);

#endif /* TARE_PROBE_SMALL_OBJECTS_PURE_H */
