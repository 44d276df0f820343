/* profile.h - every allocating stack of a run with what it holds, for viewers of profiles. */
#ifndef TARE_DOCTOR_PROFILE_H
#define TARE_DOCTOR_PROFILE_H

#include "doctor/facts/diagnosis.h"

struct model; /* ledger/model.h */

/* What is counted for each stack; the order is that of the values of a sample. */
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
    uint64_t values[PROFILE_VALUES];
    uint32_t stack; /* in the ledger */
    bool map; /* mappings, not the heap */
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

/* Lies in the diagnosis's memory; `run` must stay as long as it is used. */
int profile_make(struct profile *out, const struct run *run, const struct diagnosis *d,
                 struct why *why);

#endif /* TARE_DOCTOR_PROFILE_H */
