/* resident.h - compares resident size with live bytes: fragmentation, and free memory that the
 * allocator keeps. */
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
    uint64_t held;      /* resident bytes that are neither live, nor mapped by the program, nor unseen */
    uint64_t held_rose; /* rise of `held` over the window */
    int64_t live_rose;  /* rise of live bytes over the window */
    uint64_t first, last; /* first and last tick of the window */
    bool trimmed;         /* a trim was requested */
    uint64_t returned;    /* resident bytes that the trim returned */
};

/* True if most of a rise of the resident size is pages of files. False if they were not counted. */
bool resident_is_files(const struct model *model, const struct run *run, const struct series *series,
                       uint64_t rise);

/* Resident bytes in anonymous mappings whose creation the probe did not see: an allocator inside
 * a library maps them by its own system calls. 0: none, or not measured. */
uint64_t resident_unseen(const struct model *model);

/* Fills `out` with how the resident size compares with live bytes. `run` may be NULL. */
void resident_judge(struct resident *out, const struct model *model, const struct run *run,
                    const struct series *series);

/* Growth of the resident size in bytes per tick: Theil-Sen over the last four fifths. */
double resident_rate(const struct series *series);

/* resident_rate() as a fact; FACT_none: it is too low to report. */
struct fact resident_fact(const struct visit *visit);

#endif /* TARE_DOCTOR_RESIDENT_H */
