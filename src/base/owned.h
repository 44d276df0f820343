/* owned.h - does an open file or directory belong to this user alone?
 *
 * The owner of a file can make it shorter, and a process that has it mapped then dies of SIGBUS. So
 * the files that we map, and the directories in which we make files, must belong to the user we run
 * as. Usable inside the program: raw system calls, no heap. On failure errno says why.
 */
#ifndef TARE_BASE_OWNED_H
#define TARE_BASE_OWNED_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/quiet.h"

static inline bool owned_by_us(const struct stat *info)
{
    return info->st_uid == (uid_t)syscall(SYS_geteuid);
}

/* A directory of ours in which no other user may make, rename or remove files. */
static inline bool owned_directory(const struct stat *info)
{
    return S_ISDIR(info->st_mode) && owned_by_us(info) &&
           (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* A regular file of ours. */
static inline bool owned_file(const struct stat *info)
{
    return S_ISREG(info->st_mode) && owned_by_us(info);
}

/* Opens such a directory; `path` does not end in a link. -1: it does not exist, or is not ours. */
static inline int owned_open(const char *path)
{
    const int fd = quiet_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    struct stat info;

    if (fd < 0)
        return -1;
    if (syscall(SYS_fstat, fd, &info) == 0 && owned_directory(&info))
        return fd;
    quiet_close(fd);
    errno = EPERM;
    return -1;
}

#endif /* TARE_BASE_OWNED_H */
