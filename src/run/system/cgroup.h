/* cgroup.h - the memory limits of our cgroup, version 1 and version 2.
 *
 * `root` is "" in production; a test gives a directory that holds a proc/ and a sys/ of its own.
 */
#ifndef TARE_RUN_CGROUP_H
#define TARE_RUN_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_LIMITS_MAX 32

struct cgroup_limit {
    char path[PATH_MAX]; /* directory of the cgroup that sets the limit */
    uint64_t bytes;      /* the limit */
};

struct cgroup {
    int version;          /* 1, 2; 0: no cgroup that counts memory was found */
    char own[PATH_MAX];   /* directory of our cgroup, as far as it is visible */
    char mount[PATH_MAX]; /* directory of the hierarchy's root */
    struct cgroup_limit limits[CGROUP_LIMITS_MAX]; /* of our cgroup and its ancestors, nearest first */
    size_t limit_count;
};

void cgroup_find(struct cgroup *out, const char *root);

/* Bytes charged to the cgroup, without file pages that can be dropped at once; 0: they cannot be read. */
uint64_t cgroup_used(const struct cgroup *cgroup, const char *path);

/* The number of processes that the kernel's OOM killer killed in it. False: it cannot be read. */
bool cgroup_kills(const struct cgroup *cgroup, uint64_t *count);

#endif /* TARE_RUN_CGROUP_H */
