/* arenas.h - fragmentation in an interpreter: a few survivors pin whole arenas. */
#ifndef TARE_DOCTOR_ARENAS_H
#define TARE_DOCTOR_ARENAS_H

#include "doctor/measure/visit.h"

struct pinned {
    uint64_t bytes;  /* bytes that the arenas take now */
    uint64_t held;   /* the part that live objects packed as closely as at best would not need */
    uint64_t blocks; /* objects alive now */
    uint64_t most;   /* the largest number of live objects */
    uint64_t tick;   /* the tick with that number of live objects */
};

/* False: the arenas follow the objects in them. */
bool arenas_judge(struct pinned *out, const struct series *series);

#endif /* TARE_DOCTOR_ARENAS_H */
