/* profile.h - every allocating stack of a run with its memory, for profile viewers. */
#ifndef TARE_DOCTOR_PROFILE_H
#define TARE_DOCTOR_PROFILE_H

#include "doctor/facts/diagnosis.h"

struct model; /* ledger/model.h */

/* The numbers of each stack, in the order of profile_sample.values. */
enum profile_value {
#define VALUE(number, name, spelling, unit, says) PROFILE_##name = number,
#include "doctor/verbs/profile_values.def"
#undef VALUE
    PROFILE_VALUES
};

const char *profile_value_name(enum profile_value value);
const char *profile_value_unit(enum profile_value value); /* "bytes" or "count" */
int profile_value_called(const char *name);               /* -1: there is none */

struct profile_sample {
    const struct place *places; /* innermost first */
    size_t place_count;
    uint64_t values[PROFILE_VALUES]; /* index: enum profile_value */
    uint32_t stack; /* its id in the ledger */
    bool map;       /* the stack made mappings, not heap blocks */
};

struct profile_process {
    const struct model *model;           /* borrowed from the run */
    const struct process_report *report; /* borrowed from the diagnosis */
    const struct profile_sample *samples;
    size_t count;
};

struct profile {
    const struct profile_process *processes; /* in the order of the diagnosis */
    size_t count;
};

/* The profile is in the diagnosis's arena and refers to `run`. */
int profile_make(struct profile *out, const struct run *run, const struct diagnosis *d,
                 struct why *why);

#endif /* TARE_DOCTOR_PROFILE_H */
