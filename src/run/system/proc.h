/* proc.h - read /proc. Failures are not reported, because a process may end at any time. */
#ifndef TARE_RUN_PROC_H
#define TARE_RUN_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ledger/layout.h"

struct proc_stat {
    pid_t parent;
    char state; /* 'T': stopped; 'Z': dead, its parent has not called wait; and others */
    uint64_t ticks; /* start time; together with the pid it identifies a process */
    char name[20];
    int exit_signal; /* the signal that its parent gets when it ends; 0: none */
};

bool proc_present(void); /* false: there is no /proc here */

/* The file's text, cut at size - 1 and terminated; its length, or -1. */
ssize_t proc_read(const char *path, char *text, size_t size);

/* The number after "key" at the beginning of a line ("VmHWM:", "oom_kill"). False: there is none. */
bool proc_value(const char *text, const char *key, uint64_t *value);

/* Pids in ascending order. Zeroed: none. */
struct pids {
    pid_t *list; /* owned; mem_free() */
    size_t count, room;
};

void proc_list(struct pids *out); /* all processes; as many as there was memory for */
bool proc_listed(const struct pids *pids, pid_t pid);

bool proc_stat(pid_t pid, struct proc_stat *out);

/* Is this process the copy in which the probe searches for holders? It does not belong to the program. At
 * first it has the program's name: until it renames itself it may be a copy, and must be checked again. */
bool proc_is_search(const struct proc_stat *stat);
bool proc_may_be_search(const struct proc_stat *stat);

uint64_t proc_started(const struct proc_stat *stat); /* CLOCK_MONOTONIC, to a clock tick */
bool proc_resident(pid_t pid, uint64_t *bytes); /* false: gone, or dead and not waited for */
bool proc_peak(pid_t pid, uint64_t *bytes);     /* the kernel's own high-water mark */

bool proc_user(pid_t pid, uint32_t *user); /* the effective one, by which files are opened */
/* Has it mapped a file whose name ends so? Also true where that cannot be read. */
bool proc_maps(pid_t pid, const char *suffix);

struct rusage; /* sys/resource.h */
uint64_t proc_used(const struct rusage *used); /* processor time, in nanoseconds */
uint64_t proc_worked(void);                    /* that of this process so far */

bool proc_descriptors(pid_t pid, uint32_t *count); /* open files */

/* Reads smaps_rollup, which stalls the process for about 9 ms per GB. */
bool proc_account(pid_t pid, struct account_record *out);

uint64_t proc_available(void); /* MemAvailable, 0: not known */

#endif /* TARE_RUN_PROC_H */
