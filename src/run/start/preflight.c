/* preflight.c - see preflight.h. */
#include "run/start/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/carry.h"
#include "run/output/speech.h"

#define SCRIPT_DEPTH 4 /* the kernel follows this many interpreters that are scripts themselves */

/* ---- finding it ---- */

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* 0, ENOENT, or EACCES if a file of that name exists that is not executable. */
static int search(char path[PATH_MAX], const char *command)
{
    const char *list = getenv("PATH");
    int error = ENOENT;

    if (!list)
        list = "/bin:/usr/bin";
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ":");
        struct stat info;
        const int written = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at,
                                     length ? "/" : "", command);

        if (written > 0 && written < PATH_MAX) {
            if (is_program(path))
                return 0;
            if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
                error = EACCES;
        }
        at += length;
        if (!*at)
            return error;
    }
}

static int locate(struct preflight *out, const char *command, struct why *why)
{
    struct stat info;

    if (!strchr(command, '/')) {
        const int error = *command ? search(out->path, command) : ENOENT;

        if (error == EACCES)
            return fail(why, ERR_IO, "%s was found but is not executable", command),
                   EXIT_CANNOT_EXECUTE;
        if (error)
            return fail(why, ERR_ABSENT, "there is no command \"%s\"", command), EXIT_NOT_FOUND;
        return 0;
    }
    if (snprintf(out->path, sizeof(out->path), "%s", command) >= (int)sizeof(out->path) ||
        stat(out->path, &info) != 0)
        return fail(why, ERR_ABSENT, "%s: %s", command, strerror(errno)), EXIT_NOT_FOUND;
    if (S_ISDIR(info.st_mode))
        return fail(why, ERR_IO, "%s is a directory, not a program", command), EXIT_CANNOT_EXECUTE;
    if (!is_program(out->path))
        return fail(why, ERR_IO, "%s is not executable (try chmod +x)", command), EXIT_CANNOT_EXECUTE;
    return 0;
}

/* ---- privileges ---- */

/* The loader ignores LD_PRELOAD when starting the program changes who we are. */
static bool changes_privileges(const char *path)
{
    struct statvfs system;
    struct stat info;

    if (stat(path, &info) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    if (statvfs(path, &system) == 0 && (system.f_flag & ST_NOSUID))
        return false;
    if ((info.st_mode & S_ISUID) && info.st_uid != getuid())
        return true;
    if ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getgid())
        return true;
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* ---- what the file is ---- */

/* The bytes that the kernel looks at, and a zero. */
static ssize_t read_head(const char *path, char head[CARRY_HEAD + 1])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, head, CARRY_HEAD);

    if (fd >= 0)
        (void)close(fd);
    return length;
}

static long read_file(void *from, void *bytes, size_t size, uint64_t offset)
{
    return pread(*(const int *)from, bytes, size, (off_t)offset);
}

static enum carry judge_elf(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const enum carry carry = fd < 0 ? CARRY_YES : carry_elf(read_file, &fd);

    if (fd >= 0)
        (void)close(fd);
    return carry;
}

/* The kernel starts the interpreter of a script; set-user-ID bits of the script have no effect. */
static enum carry judge_file(const char *path, int depth)
{
    char head[CARRY_HEAD + 1];
    const ssize_t length = read_head(path, head);
    const enum carry_form form = carry_form(head, length > 0 ? (size_t)length : 0);

    if (form == FORM_SCRIPT)
        return depth < SCRIPT_DEPTH
                   ? judge_file(carry_interpreter(head, (size_t)length), depth + 1)
                   : CARRY_YES;
    if (changes_privileges(path))
        return CARRY_privileges;
    return form == FORM_ELF ? judge_elf(path) : CARRY_YES;
}

/* Is the runtime of a sanitizer in our own LD_PRELOAD, which the program will have? */
static bool preloads_sanitizer(void)
{
    const char *list = getenv("LD_PRELOAD");

    return list && carry_preloads_sanitizer(list);
}

/* ---- all of it ---- */

const char *preflight_untraced(const char *path)
{
    return carry_why(judge_file(path, 0));
}

static int check_interpreter(struct preflight *out, const char *command, struct why *why)
{
    char head[CARRY_HEAD + 1];
    const ssize_t length = read_head(out->path, head);
    const char *interpreter;

    if (length < 0) /* executable but not readable: the kernel decides */
        return 0;
    switch (carry_form(head, (size_t)length)) {
    case FORM_SCRIPT:
        interpreter = carry_interpreter(head, (size_t)length);
        if (access(interpreter, F_OK) != 0)
            return fail(why, ERR_ABSENT, "%s: its interpreter \"%s\" does not exist", command,
                        interpreter),
                   EXIT_NOT_FOUND;
        break;
    case FORM_TEXT:
        out->by_shell = true;
        break;
    case FORM_ELF:
    case FORM_OTHER:
        break;
    }
    return 0;
}

int preflight(struct preflight *out, const char *command, struct why *why)
{
    enum carry carry = CARRY_YES;
    int code;

    *out = (struct preflight){0};
    code = locate(out, command, why);
    if (!code)
        code = check_interpreter(out, command, why);
    if (!code)
        carry = judge_file(out->by_shell ? "/bin/sh" : out->path, 0);
    if (carry == CARRY_YES && preloads_sanitizer())
        carry = CARRY_sanitizer_preload;
    out->untraced = carry_why(carry);
    /* If the program has its own malloc, its ledger would show no allocations. */
    out->harmless = carry == CARRY_YES || carry == CARRY_linked_statically;
    return code;
}
