/* runs.h - find the runs in progress, without a daemon and without a registry.
 *
 * Every process of a run, `tare run` included, has the run's bell mapped, shared and writable
 * (ledger/mailbox.h); no other process has. /proc/PID/maps says where the file is. So nothing needs
 * to be cleaned up after a crash, and a run is visible to the users who may read its processes: its
 * own user and root. The owner of the directory is the owner of the run: root does not open the
 * files of other users unless asked to.
 */
#ifndef TARE_CLI_RUNS_H
#define TARE_CLI_RUNS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* What was found about one process, so that its maps are not read repeatedly. */
struct runs_seen {
    pid_t pid;
    uint64_t ticks; /* start time; together with the pid it identifies the process */
    char name[20];  /* the kernel's name for it */
    unsigned looks; /* how often its maps were read */
    char *path;     /* owned: the directory of its run; NULL: it belongs to no run that we can see */
    bool foreign;   /* the directory belongs to another user; no file in it was opened */
};

struct runs {
    bool all_users;         /* also runs of other users */
    struct runs_seen *list; /* owned; sorted by pid */
    size_t count;
};

void runs_fini(struct runs *runs);

/* Examines all processes, except those known not to belong to a run. */
void runs_look(struct runs *runs);

/* The directories, each once, borrowed until the next search; returns how many, at most `room`.
 * `foreign`: how many more there are, of other users. */
size_t runs_paths(const struct runs *runs, const char **paths, size_t room, size_t *foreign);

/* 0, or ERR_USAGE: the file or directory belongs to another user. */
int runs_check_owner(const char *path, struct why *why);

/* The directory of the run that a process belongs to, also of other users. ERR_ABSENT: there is no
 * such process, or it is not under tare; ERR_IO: we may not read its maps. */
int runs_of(pid_t pid, char path[PATH_MAX], struct why *why);

#endif /* TARE_CLI_RUNS_H */
