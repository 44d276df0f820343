/* run_dir.h - the directory of the run: found at the start, and perhaps out of reach later. */
#ifndef TARE_PROBE_RUN_DIR_H
#define TARE_PROBE_RUN_DIR_H

#include "ledger/mailbox.h"

/* Opens the run's directory and its bell, and makes them known to state.h. NULL: this process is not part
 * of a run, or they are gone, or they belong to another user, who could end this program through them. */
struct bell *run_dir_find(void);

/* Would a program that this process starts now find the directory? Asked in vfork children too: no lock, no
 * thread-local state but errno, and no more than three system calls. */
enum run_dir_reach { RUN_DIR_REACHED, RUN_DIR_OTHER_USER, RUN_DIR_OTHER_ROOT };
enum run_dir_reach run_dir_reach(void);

/* The process has another root directory from now on. */
void run_dir_moved(void);

#endif /* TARE_PROBE_RUN_DIR_H */
