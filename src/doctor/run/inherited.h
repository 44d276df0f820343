/* inherited.h - memory that a forked process shares with its parent, and what it has copied. */
#ifndef TARE_DOCTOR_INHERITED_H
#define TARE_DOCTOR_INHERITED_H

#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"

struct arena; /* base/arena.h */

/* One sentence when private memory has grown by copying what was inherited, while live memory has
 * not: copy-on-write, no leak. NULL: nothing of the kind. `account` may be NULL. */
const char *inherited_note(const struct process_report *report, const struct model *model,
                           const struct account_record *account, struct arena *arena);

#endif /* TARE_DOCTOR_INHERITED_H */
