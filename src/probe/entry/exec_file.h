/* exec_file.h - can the program that is about to be started carry the probe?
 *
 * For exec hooks: between fork and exec, in a vfork child, in a signal handler. System calls and
 * the caller's stack alone, about 2 KB of it, and less than 3 where PATH is searched; errno is changed.
 */
#ifndef TARE_PROBE_EXEC_FILE_H
#define TARE_PROBE_EXEC_FILE_H

#include <stdbool.h>

#include "base/carry.h"

/* What exec and posix_spawn name a program by. */
struct exec_target {
    int directory;    /* AT_FDCWD, a directory, or the file itself */
    const char *path; /* relative to it; may be NULL */
    bool is_file;     /* without a path, `directory` is the file: fexecve, execveat */
    bool search;      /* without a slash, search for `path` along PATH */
};

/* Follows scripts to their interpreters. What cannot be found or read is left to the kernel:
 * CARRY_YES. */
enum carry exec_file_judge(const struct exec_target *target);

#endif /* TARE_PROBE_EXEC_FILE_H */
