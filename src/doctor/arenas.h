/* arenas.h - an interpreter's arenas that a few survivors keep: fragmentation of its own kind. */
#ifndef TARE_DOCTOR_ARENAS_H
#define TARE_DOCTOR_ARENAS_H

#include "doctor/visit.h"

struct pinned {
    uint64_t bytes;  /* that the arenas take now */
    uint64_t held;   /* of these, more than the objects alive needed when they lay closest */
    uint64_t blocks; /* objects alive now */
    uint64_t most;   /* objects alive when they were most … */
    uint64_t tick;   /* … at this tick */
};

/* False: the arenas follow the objects in them. */
bool arenas_judge(struct pinned *out, const struct series *series);

void arenas_report(struct visit *visit);

#endif /* TARE_DOCTOR_ARENAS_H */
