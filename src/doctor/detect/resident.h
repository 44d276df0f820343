/* resident.h - resident size against live bytes: fragmentation, and memory the allocator keeps. */
#ifndef TARE_DOCTOR_RESIDENT_H
#define TARE_DOCTOR_RESIDENT_H

#include "doctor/measure/visit.h"

enum resident_state {
    RESIDENT_FOLLOWS,  /* resident size is little more than live memory */
    RESIDENT_RETAINED, /* the allocator keeps free memory, but not more than before */
    RESIDENT_GROWS     /* the free memory that the allocator keeps grows, and live memory does not */
};

struct resident {
    enum resident_state state;
    uint64_t held;      /* resident bytes that are not live, not mapped by the program and not unseen */
    uint64_t held_rose; /* rise of `held` over the window */
    int64_t live_rose;  /* rise of live bytes over the window */
    uint64_t first, last; /* ticks of the window */
    bool trimmed;         /* a trim was requested */
    uint64_t returned;    /* resident bytes that the trim returned */
};

/* Are most of a rise of the resident size pages of files, as far as these were counted? */
bool resident_is_files(const struct model *model, const struct run *run, const struct series *series,
                       uint64_t rise);

/* Resident bytes in anonymous mappings that the probe did not see being made. An allocator
 * inside a library makes them by its own system calls. 0: none, or not measured. */
uint64_t resident_unseen(const struct model *model);

/* `run` may be NULL. */
void resident_judge(struct resident *out, const struct model *model, const struct run *run,
                    const struct series *series);

/* Growth of the resident size in bytes per tick: Theil-Sen over the last four fifths. */
double resident_rate(const struct series *series);

/* That rate as a fact; FACT_none: it is too low to report. */
struct fact resident_fact(const struct visit *visit);

#endif /* TARE_DOCTOR_RESIDENT_H */
