/* debug_files.h - the files that hold a module's debug information, opened with care.
 *
 * In a run that somebody sent, a module may name any file as its debug file, its split file or its
 * supplement. Only regular files are opened, opening never waits, nothing is fetched from a server,
 * and a debug file must have the build-id of the module. libdw's own search checks none of this.
 */
#ifndef TARE_DOCTOR_DEBUG_FILES_H
#define TARE_DOCTOR_DEBUG_FILES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUG_DIRECTORY "/usr/lib/debug"
#define BUILD_ID_MAX    64

/* A descriptor of the regular file at `path`; -1: errno says why not. */
int debug_files_open(const char *path);

/* "/usr/lib/debug/.build-id/ab/cdef….debug"; false: the build-id is too short or too long. */
#define DEBUG_PATH_MAX (sizeof(DEBUG_DIRECTORY) + 2 * BUILD_ID_MAX + 32)
bool debug_files_by_id(char path[DEBUG_PATH_MAX], const uint8_t *build_id, size_t size);

/* For Dwfl_Callbacks: by build-id, by .gnu_debuglink, and the supplements that dwz makes. */
Dwfl_Callbacks debug_files_callbacks(void);

/* May libdw search for the split file (-gsplit-dwarf) of this unit? Not if a pipe or a device has its
 * name: libdw would open it and wait. */
bool debug_files_split_is_safe(Dwfl_Module *module, Dwarf_Die *unit);

#endif /* TARE_DOCTOR_DEBUG_FILES_H */
