/* debug_files.c - see debug_files.h. */
#include "doctor/source/debug_files.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

int debug_files_open(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat info;

    if (fd < 0)
        return -1;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        return fd;
    (void)close(fd);
    errno = ENOEXEC;
    return -1;
}

bool debug_files_by_id(char path[DEBUG_PATH_MAX], const uint8_t *build_id, size_t size)
{
    size_t used;

    if (size < 2 || size > BUILD_ID_MAX)
        return false;
    used = (size_t)snprintf(path, DEBUG_PATH_MAX, DEBUG_DIRECTORY "/.build-id/%02x/", build_id[0]);
    for (size_t i = 1; i < size; i++)
        used += (size_t)snprintf(path + used, DEBUG_PATH_MAX - used, "%02x", build_id[i]);
    (void)snprintf(path + used, DEBUG_PATH_MAX - used, ".debug");
    return true;
}

/* ---- a module's own debug file ---- */

struct wanted {
    const unsigned char *build_id;
    int size;
};

static bool has_build_id(int fd, const struct wanted *wanted)
{
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    const void *bits = NULL;
    const ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &bits) : -1;
    const bool same = size == wanted->size && memcmp(bits, wanted->build_id, (size_t)size) == 0;

    if (elf)
        (void)elf_end(elf);
    return same;
}

/* libdwfl takes the descriptor and frees the name with free(), which is what mem_free() calls. */
static int keep_name(int fd, const char *path, char **found)
{
    *found = mem_copy_text(path, strlen(path));
    if (*found)
        return fd;
    (void)close(fd);
    return -1;
}

/* Takes `path` if it is the wanted file: returns its descriptor, and a copy of the path in *found. */
static int take(const char *path, const struct wanted *wanted, char **found)
{
    const int fd = debug_files_open(path);

    if (fd < 0)
        return -1;
    if (!has_build_id(fd, wanted)) {
        (void)close(fd);
        return -1;
    }
    return keep_name(fd, path, found);
}

/* Searches beside the module, in its folder .debug, and at the same path below the system's directory. */
static int take_by_name(const char *file, const char *link, const struct wanted *wanted,
                        char **found)
{
    static const char *const before[] = {"", "", DEBUG_DIRECTORY};
    static const char *const between[] = {"/", "/.debug/", "/"};
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX], plain[NAME_MAX + 1];
    int fd = -1;

    if (!slash)
        return -1;
    if (!link && snprintf(plain, sizeof(plain), "%s.debug", slash + 1) < (int)sizeof(plain))
        link = plain;
    if (!link || strchr(link, '/'))
        return -1;
    for (size_t i = 0; fd < 0 && i < sizeof(between) / sizeof(between[0]); i++)
        if (snprintf(path, sizeof(path), "%s%.*s%s%s", before[i], (int)(slash - file), file,
                     between[i], link) < (int)sizeof(path))
            fd = take(path, wanted, found);
    return fd;
}

/* ---- supplements ---- */

/* dwz moves what several debug files share into a supplement; only the system's supplements are used. */
static int take_supplement(const char *file, const char *link, char **found)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    char path[PATH_MAX], real[PATH_MAX];
    int fd;

    if (link[0] != '/' && !slash)
        return -1;
    if (snprintf(path, sizeof(path), "%.*s%s", link[0] == '/' ? 0 : (int)(slash - file) + 1, file,
                 link) >= (int)sizeof(path) ||
        !realpath(path, real) || !text_begins(real, DEBUG_DIRECTORY "/"))
        return -1;
    fd = debug_files_open(real);
    return fd < 0 ? -1 : keep_name(fd, real, found);
}

/* ---- the callbacks ---- */

/* libdwfl asks for a supplement by its name and without a checksum. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **found)
{
    char path[DEBUG_PATH_MAX];
    struct wanted wanted = {0};
    GElf_Addr where;
    int fd = -1;

    (void)data;
    (void)name;
    (void)base;
    if (link && crc == 0)
        return take_supplement(file, link, found);
    wanted.size = dwfl_module_build_id(module, &wanted.build_id, &where);
    if (wanted.size <= 0)
        return -1;
    if (debug_files_by_id(path, wanted.build_id, (size_t)wanted.size))
        fd = take(path, &wanted, found);
    return fd < 0 && file ? take_by_name(file, link, &wanted, found) : fd;
}

/* libdwfl gets each module with an open descriptor, so it never needs to find the file. */
static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                    char **file, Elf **elf)
{
    (void)module;
    (void)data;
    (void)name;
    (void)base;
    (void)file;
    (void)elf;
    return -1;
}

Dwfl_Callbacks debug_files_callbacks(void)
{
    return (Dwfl_Callbacks){.find_elf = find_elf,
                            .find_debuginfo = find_debuginfo,
                            .section_address = dwfl_offline_section_address};
}

/* ---- split files ---- */

static const char *text_of(Dwarf_Die *unit, unsigned name)
{
    Dwarf_Attribute attribute;

    return dwarf_attr(unit, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static bool is_harmless(const char *folder, size_t length, const char *name)
{
    char path[PATH_MAX];
    struct stat info;

    if (snprintf(path, sizeof(path), "%.*s%s%s", (int)length, folder, length ? "/" : "", name) >=
        (int)sizeof(path))
        return true; /* too long for libdw, too */
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

/* libdw searches in the directory where the compiler ran, and in that of the file with the unit. */
bool debug_files_split_is_safe(Dwfl_Module *module, Dwarf_Die *unit)
{
    const char *name = text_of(unit, DW_AT_dwo_name), *home = text_of(unit, DW_AT_comp_dir);
    const char *files[2] = {NULL, NULL};

    name = name ? name : text_of(unit, DW_AT_GNU_dwo_name);
    if (!name)
        return true;
    if (!is_harmless("", 0, name) || (home && !is_harmless(home, strlen(home), name)))
        return false;
    (void)dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &files[0], &files[1]);
    for (size_t i = 0; i < 2; i++) {
        const char *slash = files[i] ? strrchr(files[i], '/') : NULL;

        if (slash && !is_harmless(files[i], (size_t)(slash - files[i]), name))
            return false;
    }
    return true;
}
