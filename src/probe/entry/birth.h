/* birth.h - a process gets its ledger and its mailbox, when it needs them and may have them. */
#ifndef TARE_PROBE_BIRTH_H
#define TARE_PROBE_BIRTH_H

#include <stdbool.h>

/* Makes them, if there are none yet, it is time for them, and no other thread is at it. False: there will
 * never be any, because of the disk or of the run's budget. Only in the process that the probe works in. */
bool birth_make(void);

/* Was this process started by `tare run` itself? */
bool birth_is_root(void);

/* In a new process: the parent's ledger and mailbox are closed here. `raw`: it was made by a clone that the
 * probe did not see. */
void birth_forked(bool raw);

#endif /* TARE_PROBE_BIRTH_H */
