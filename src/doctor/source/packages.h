/* packages.h - which installed package a file belongs to, and its version.
 *
 * `tare run` looks at the end of a run which packages the code on its stacks belongs to, and records them
 * in the run's own ledger, so that a report made elsewhere or later names the versions of that run. Of
 * Python what pip wrote decides (RECORD, top_level.txt), of Node package.json.
 */
#ifndef TARE_DOCTOR_PACKAGES_H
#define TARE_DOCTOR_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

struct ledger;        /* ledger/writer.h */
struct model;         /* ledger/model.h */
struct model_package; /* ledger/model.h */
struct run;           /* ledger/model.h */

/* Records the packages of all modules, Python files and scripts that the run's ledgers name. */
void packages_record(const struct run *run, struct ledger *ledger);

/* The recorded package of a file. `own`: the run's own ledger, may be NULL. NULL: none. */
const struct model_package *packages_find(const struct model *own, const char *path);

#endif /* TARE_DOCTOR_PACKAGES_H */
