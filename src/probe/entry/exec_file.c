/* exec_file.c - see exec_file.h. */
#include "probe/entry/exec_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/quiet.h"

#define SCRIPT_DEPTH 4   /* the kernel follows as many interpreters that are scripts themselves */
#define FOUND_MAX    768 /* longest path of a program along PATH that is examined */

/* A device or a pipe may do something when it is opened: only plain files are. */
__attribute__((noinline)) static int open_program(int directory, const char *path, bool *privileged)
{
    struct stat info;

    if (syscall(SYS_newfstatat, directory, path, &info, 0) != 0 || !S_ISREG(info.st_mode))
        return -1;
    *privileged = ((info.st_mode & S_ISUID) && info.st_uid != getuid()) ||
                  ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getgid());
    return quiet_open(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
}

static long read_file(void *from, void *bytes, size_t size, uint64_t offset)
{
    return quiet_read_at(*(const int *)from, bytes, size, offset);
}

/* The interpreter of a script, in `head`; NULL: it is none, and `carry` is the answer. */
static const char *look(int fd, bool privileged, char head[CARRY_HEAD + 1], enum carry *carry)
{
    const long length = quiet_read_at(fd, head, CARRY_HEAD, 0);
    const enum carry_form form = carry_form(head, length > 0 ? (size_t)length : 0);

    if (form == FORM_SCRIPT)
        return carry_interpreter(head, (size_t)length);
    if (form == FORM_ELF)
        *carry = privileged ? CARRY_privileges : carry_elf(read_file, &fd);
    return NULL;
}

static enum carry judge_path(int directory, const char *path)
{
    char head[CARRY_HEAD + 1];
    enum carry carry = CARRY_YES;

    for (int depth = 0; path && depth <= SCRIPT_DEPTH; depth++) {
        bool privileged = false;
        const int fd = open_program(directory, path, &privileged);

        if (fd < 0)
            return CARRY_YES;
        path = look(fd, privileged, head, &carry); /* the old path, in `head`, is used no more */
        quiet_close(fd);
        directory = AT_FDCWD;
    }
    return carry;
}

/* By its name in /proc: a descriptor opened with O_PATH cannot be read itself. */
static enum carry judge_file(int fd)
{
    static const char folder[] = "/proc/self/fd/";
    char path[sizeof(folder) + 10], *end = path + sizeof(folder) - 1;

    if (fd < 0)
        return CARRY_YES;
    memcpy(path, folder, sizeof(folder));
    for (int rest = fd; rest >= 10; rest /= 10)
        end++;
    end[1] = 0;
    for (int rest = fd;; rest /= 10) {
        *end-- = (char)('0' + rest % 10);
        if (rest < 10)
            break;
    }
    return judge_path(AT_FDCWD, path);
}

__attribute__((noinline)) static bool is_program(const char *path)
{
    struct stat info;

    return syscall(SYS_newfstatat, AT_FDCWD, path, &info, 0) == 0 && S_ISREG(info.st_mode) &&
           syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0;
}

/* The first that could be executed, as execvp takes it. */
static enum carry judge_name(const char *name)
{
    const char *list = getenv("PATH");
    const size_t size = strlen(name) + 1;
    char path[FOUND_MAX];

    if (size == 1)
        return CARRY_YES;
    for (const char *at = list ? list : "/bin:/usr/bin";; at++) {
        const size_t length = strcspn(at, ":");

        if (length + 1 + size <= sizeof(path)) {
            memcpy(path, at, length);
            path[length] = '/';
            memcpy(path + length + (length > 0), name, size); /* an empty entry is this directory */
            if (is_program(path))
                return judge_path(AT_FDCWD, path);
        }
        at += length;
        if (!*at)
            return CARRY_YES;
    }
}

enum carry exec_file_judge(const struct exec_target *target)
{
    if (target->is_file && (!target->path || !*target->path))
        return judge_file(target->directory);
    if (target->search && !strchr(target->path, '/'))
        return judge_name(target->path);
    return judge_path(target->directory, target->path);
}
