/* arenas.h - fragmentation in an interpreter: a few survivors pin whole arenas. */
#ifndef TARE_DOCTOR_ARENAS_H
#define TARE_DOCTOR_ARENAS_H

#include "doctor/measure/visit.h"

struct pinned {
    uint64_t bytes;  /* bytes that the arenas take now */
    uint64_t held;   /* bytes that the live objects would not need if packed as densely as at the best time */
    uint64_t blocks; /* number of live objects now */
    uint64_t most;   /* the largest number of live objects */
    uint64_t tick;   /* the tick with that number of live objects */
};

/* True if the arenas hold much more than their objects need. `series` must have a point. */
bool arenas_judge(struct pinned *out, const struct series *series);

#endif /* TARE_DOCTOR_ARENAS_H */
