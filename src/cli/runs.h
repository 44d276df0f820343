/* runs.h - find the runs of tare that are going on, without a daemon and without a register.
 *
 * Every process of a run, `tare run` itself included, has the run's bell mapped, shared and
 * writable (ledger/mailbox.h); nobody else has. /proc/PID/maps tells where it lies. So nothing
 * needs to be cleaned up after a crash, and a run is seen by whoever may look into its processes:
 * its own user, and root. Whose run it is, is whose directory it is: root does not open the files of
 * others unless asked to.
 */
#ifndef TARE_CLI_RUNS_H
#define TARE_CLI_RUNS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* What was found of one process, so that its maps are not read again and again. */
struct runs_seen {
    pid_t pid;
    uint64_t ticks; /* when it started */
    char name[20];
    unsigned looks; /* at its maps */
    char *path; /* owned: the directory of its run; NULL: it belongs to none, as far as we see */
    bool foreign; /* the directory is another user's; nothing in it was opened */
};

struct runs {
    bool all_users; /* those of other users count, too */
    struct runs_seen *list; /* owned; by pid */
    size_t count;
};

void runs_fini(struct runs *runs);

/* Looks at all processes, but not into those that are known to be no part of a run. */
void runs_look(struct runs *runs);

/* The directories, each once, borrowed until the next look; returns how many, at most `room`.
 * `foreign`: how many more there are, of other users. */
size_t runs_paths(const struct runs *runs, const char **paths, size_t room, size_t *foreign);

/* 0, or ERR_USAGE: the file or directory belongs to another user. */
int runs_check_owner(const char *path, struct why *why);

/* The directory of the run that a process belongs to, whosever it is. ERR_ABSENT: there is no such
 * process, or it is not under tare; ERR_IO: we may not look into it. */
int runs_of(pid_t pid, char path[PATH_MAX], struct why *why);

#endif /* TARE_CLI_RUNS_H */
