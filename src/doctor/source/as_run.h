/* as_run.h - scripts that were compiled in memory, as the probe has written them down (layout_scripts.h).
 *
 * The file is hostile, and may still be written to. It is opened when it is first asked for.
 */
#ifndef TARE_DOCTOR_AS_RUN_H
#define TARE_DOCTOR_AS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct as_run;

/* Of the process with this ledger in `directory`; NULL: no memory. */
struct as_run *as_run_new(const char *directory, uint32_t pid, uint32_t generation);
void as_run_free(struct as_run *as_run); /* accepts NULL */

/* The text of the script at `path`, the newest if there are several; valid while `as_run` lives. NULL: it
 * was not written down. Accepts NULL. */
const char *as_run_text(struct as_run *as_run, const char *path, size_t *size);

/* The path that a name of the engine means, whether it is one or a URL of one, in `out`; false: too long. */
bool as_run_path(const char *name, size_t length, char *out, size_t room);

#endif /* TARE_DOCTOR_AS_RUN_H */
