/* objects_pure.h - when small objects are worth a closer look, and how close a look may be.
 *
 * Plain functions of their arguments.
 */
#ifndef TARE_PROBE_OBJECTS_PURE_H
#define TARE_PROBE_OBJECTS_PURE_H

#include <stdbool.h>
#include <stdint.h>

#define OBJECTS_READINGS 12

/* The latest readings of the number of blocks, oldest first. */
struct objects_history {
    uint64_t blocks[OBJECTS_READINGS];
    uint64_t steps[OBJECTS_READINGS]; /* at which they were made */
    unsigned count;
};

void objects_note_reading(struct objects_history *history, uint64_t blocks, uint64_t step);

/* Do they plainly grow from the first steps on: many at every step, or a few at nearly every one? It
 * decides nothing: it only sees to it that the objects of a short program are on record. */
bool objects_grow(const struct objects_history *history);

#define OBJECTS_RATE_ALL 1u /* mean bytes between samples at which every object is one */
#define OBJECTS_RATE_MOST (1u << 20)

uint64_t objects_coarser(uint64_t rate);
uint64_t objects_finer(uint64_t rate);

#endif /* TARE_PROBE_OBJECTS_PURE_H */
