/* source.h - the text of a source line, where the file is at hand.
 *
 * Files are read once and kept while the sources live. Only regular files of at most 16 MB are
 * read; what is returned is valid UTF-8, trimmed, and safe to send to a terminal.
 */
#ifndef TARE_DOCTOR_SOURCE_H
#define TARE_DOCTOR_SOURCE_H

#include <stddef.h>

struct arena; /* base/arena.h */
struct sources;

/* The texts given out live in `arena`. NULL: no memory. */
struct sources *sources_new(struct arena *arena);
void sources_free(struct sources *sources); /* accepts NULL */

/* Line `line`, from 1; NULL: no such file or line, or it is blank. */
const char *sources_line(struct sources *sources, const char *path, unsigned line);

/* The whole file as its bytes are, valid while `sources` lives; NULL: not at hand. */
const char *sources_whole(struct sources *sources, const char *path, size_t *size);

/* The text of a file that is not there, as something else has kept it. A file that is there wins. */
void sources_give(struct sources *sources, const char *path, const char *bytes, size_t size);

#endif /* TARE_DOCTOR_SOURCE_H */
