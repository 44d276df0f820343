/* as_run.h - scripts that were compiled in memory, as the probe recorded them (layout_scripts.h).
 *
 * The file is hostile, and the probe may still append to it. It is opened at the first query.
 */
#ifndef TARE_DOCTOR_AS_RUN_H
#define TARE_DOCTOR_AS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct as_run;

/* The scripts of the process that has this ledger in `directory`. NULL: no memory. */
struct as_run *as_run_new(const char *directory, uint32_t pid, uint32_t generation);
void as_run_free(struct as_run *as_run); /* accepts NULL */

/* The text of the script at `path`, the newest if there are several; valid until as_run_free. NULL: it was
 * not recorded. Accepts NULL. */
const char *as_run_text(struct as_run *as_run, const char *path, size_t *size);

/* Writes to `out` the path of a script that V8 names by its path or by a file URL. False: too long. */
bool as_run_path(const char *name, size_t length, char *out, size_t room);

#endif /* TARE_DOCTOR_AS_RUN_H */
