/* resident.h - resident size against live bytes: fragmentation, and memory the allocator keeps. */
#ifndef TARE_DOCTOR_RESIDENT_H
#define TARE_DOCTOR_RESIDENT_H

#include "doctor/series.h"

enum resident_state {
    RESIDENT_FOLLOWS,  /* resident size is what is live, and a little */
    RESIDENT_RETAINED, /* free memory is kept, and no more of it than before */
    RESIDENT_GROWS     /* free memory that is kept grows while live memory does not */
};

struct resident {
    enum resident_state state;
    uint64_t held;      /* bytes resident that are neither live nor mapped by the program, nor unseen */
    uint64_t held_rose; /* over the window */
    int64_t live_rose;
    uint64_t first, last; /* ticks of the window */
    bool trimmed;         /* a trim was asked for */
    uint64_t returned;    /* bytes resident that it gave back */
};

/* Do the pages of files account for most of a rise of the resident size, as far as that was counted? */
bool resident_is_files(const struct model *model, const struct run *run, const struct series *series,
                       uint64_t rise);

/* Resident bytes in anonymous mappings that nobody was seen to make: of an allocator inside a library, which
 * asks the system without the C library. 0: none, or not measured. */
uint64_t resident_unseen(const struct model *model);

/* `run` may be NULL. */
void resident_judge(struct resident *out, const struct model *model, const struct run *run,
                    const struct series *series);

/* Resident size per tick, Theil-Sen over the last four fifths; bytes. */
double resident_rate(const struct series *series);

#endif /* TARE_DOCTOR_RESIDENT_H */
