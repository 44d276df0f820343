/* preflight.c - see preflight.h. */
#include "cli/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/dynsym.h"

#define SCRIPT_DEPTH 4 /* the kernel follows this many interpreters that are scripts themselves */

/* ---- finding it ---- */

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* 0, ENOENT, or EACCES when something of that name is there that may not be executed. */
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
            return fail(why, ERR_IO, "%s was found but may not be executed", command),
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
        return fail(why, ERR_IO, "%s may not be executed", command), EXIT_CANNOT_EXECUTE;
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

enum form { FORM_ELF, FORM_SCRIPT, FORM_TEXT, FORM_OTHER };

static enum form form_of(const char *head, ssize_t length)
{
    const size_t line = strcspn(head, "\n");

    if (length >= 4 && memcmp(head, ELFMAG, SELFMAG) == 0)
        return FORM_ELF;
    if (length >= 2 && head[0] == '#' && head[1] == '!')
        return FORM_SCRIPT;
    /* A shell takes a file for a text if its first line holds no zero byte. */
    return line == (size_t)length || head[line] == '\n' ? FORM_TEXT : FORM_OTHER;
}

static ssize_t read_head(const char *path, char *head, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, head, size - 1);

    if (fd >= 0)
        (void)close(fd);
    head[length > 0 ? length : 0] = 0;
    return length;
}

/* The word behind "#!", cut out in place. */
static const char *interpreter_in(char *head)
{
    char *word = head + 2 + strspn(head + 2, " \t");

    word[strcspn(word, " \t\r\n")] = 0;
    return word;
}

static const char *elf_untraced(const char *path);

/* The kernel starts the interpreter of a script; the script's own mode bits change nothing. */
static const char *file_untraced(const char *path, int depth)
{
    char head[512];
    const ssize_t length = read_head(path, head, sizeof(head));
    const enum form form = form_of(head, length > 0 ? length : 0);

    if (form == FORM_SCRIPT)
        return depth < SCRIPT_DEPTH ? file_untraced(interpreter_in(head), depth + 1) : NULL;
    if (changes_privileges(path))
        return "runs with other privileges (setuid), so the loader refuses the probe";
    return form == FORM_ELF ? elf_untraced(path) : NULL;
}

/* ---- ELF ---- */

static bool musl_loader(Elf *elf, const GElf_Phdr *segment)
{
    size_t size;
    const char *bytes = elf_rawfile(elf, &size);

    if (!bytes || segment->p_offset >= size || segment->p_filesz > size - segment->p_offset)
        return false;
    return memmem(bytes + segment->p_offset, segment->p_filesz, "ld-musl", 7) != NULL;
}

static const char linked_statically[] = "is linked statically, so no loader can bring the probe in";

static const char *loader_untraced(Elf *elf)
{
    size_t count = 0;

    if (elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;

        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
            return musl_loader(elf, &segment) ? "uses the musl C library, and the probe needs glibc"
                                              : NULL;
    }
    return linked_statically;
}

static const char *symbols_untraced(Elf *elf)
{
    static const char *const names[] = {"__asan_init", "__hwasan_init", "__tsan_init",
                                        "__msan_init", "__lsan_init", "__sanitizer_malloc_hook"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (dynsym_has(elf, names[i], false))
            return "is built with a sanitizer, which watches memory itself";
    return dynsym_has(elf, "malloc", true)
               ? "has its own malloc inside the executable, which the probe cannot see"
               : NULL;
}

static const char *contents_untraced(Elf *elf)
{
    const char *reason;
    GElf_Ehdr header;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return NULL;
    if (header.e_machine != EM_X86_64 && header.e_machine != EM_386)
        return "is built for another processor";
    if (gelf_getclass(elf) == ELFCLASS32)
        return "is a 32-bit program, and the probe is a 64-bit library";
    reason = loader_untraced(elf);
    return reason ? reason : symbols_untraced(elf);
}

static const char *elf_untraced(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const char *reason = NULL;
    Elf *elf = NULL;

    (void)elf_version(EV_CURRENT);
    if (fd >= 0)
        elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf)
        reason = contents_untraced(elf);
    (void)elf_end(elf);
    if (fd >= 0)
        (void)close(fd);
    return reason;
}

/* ---- all of it ---- */

const char *preflight_untraced(const char *path)
{
    return file_untraced(path, 0);
}

static int check_interpreter(struct preflight *out, const char *command, struct why *why)
{
    char head[512];
    const ssize_t length = read_head(out->path, head, sizeof(head));
    const char *interpreter;

    if (length < 0) /* executable but not readable: the kernel will see */
        return 0;
    switch (form_of(head, length)) {
    case FORM_SCRIPT:
        interpreter = interpreter_in(head);
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
    int code;

    *out = (struct preflight){0};
    code = locate(out, command, why);
    if (!code)
        code = check_interpreter(out, command, why);
    if (!code)
        out->untraced = preflight_untraced(out->by_shell ? "/bin/sh" : out->path);
    out->harmless = !out->untraced || out->untraced == linked_statically;
    return code;
}
