/* process_end.h - how a process ended, as the supervisor recorded it in the run's own ledger. */
#ifndef TARE_DOCTOR_PROCESS_END_H
#define TARE_DOCTOR_PROCESS_END_H

#include <stdbool.h>
#include <stdint.h>

#include "doctor/facts/diagnosis.h"

struct model;          /* ledger/model.h */
struct process_record; /* ledger/layout.h */
struct run;            /* ledger/model.h */

#define STATUS_UNKNOWN 0xFFFFFFFFu /* process_record.status: not known, as of every process but the root */

/* What was seen of this pid from outside; NULL: nothing. */
const struct process_record *process_end_record(const struct run *run, uint32_t pid);

/* The process called exec: another ledger of the run has its later program. */
bool process_end_replaced(const struct run *run, const struct model *model);

/* How the process ended, as wait() gives it. False: it runs, became another program, or this is not
 * known. */
bool process_end_status(const struct run *run, const struct model *model, uint32_t *status);

/* Whether the kernel's OOM killer ended this process or another one of the run. `run` may be NULL. */
enum ran_out process_end_ran_out(const struct run *run, const struct model *model);

#endif /* TARE_DOCTOR_PROCESS_END_H */
