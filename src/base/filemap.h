/* filemap.h - a file in memory, read-only.
 *
 * The bytes are shared with the writer of the file, so they may change while they are read. Only
 * regular files are opened, and a symbolic link as the last part of the path is not followed. If
 * the file is made shorter later, the missing part reads as zeros (base/guard.h).
 */
#ifndef TARE_BASE_FILEMAP_H
#define TARE_BASE_FILEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct filemap {
    const uint8_t *bytes; /* owned; never NULL after filemap_open, also when size is 0 */
    size_t size;
};

/* `path` may be relative to the open directory `directory`, or to AT_FDCWD. */
int filemap_open(struct filemap *map, int directory, const char *path, struct why *why);

/* The same for a descriptor that is open for reading and stays the caller's. */
int filemap_open_fd(struct filemap *map, int fd, const char *path, struct why *why);

/* For a file that is being written: its pages are in memory already. Read-ahead would only make a
 * page of zeros for each of its holes. */
void filemap_read_nothing_ahead(const struct filemap *map);

/* Was the file found to be shorter than when it was opened? */
bool filemap_was_cut(const struct filemap *map);
void filemap_close(struct filemap *map); /* accepts a zeroed map */

#endif /* TARE_BASE_FILEMAP_H */
