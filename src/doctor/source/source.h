/* source.h - the text of a source line, only from files that the run recorded.
 *
 * A ledger may come from anyone and may name any file. So a line is shown only if `tare run` recorded
 * its file with the run (struct source_record) and the file still has the same size and content: whoever
 * forges a record must already know the file. During the run, and in the session that started the
 * program, a file without a record is read too, if its name ends like that of a source file and it was
 * not changed after the run began. Only regular files of at most 16 MB are read, once each, and kept
 * until sources_free. Lines are valid UTF-8, trimmed, and harmless on a terminal.
 */
#ifndef TARE_DOCTOR_SOURCE_H
#define TARE_DOCTOR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;  /* base/arena.h */
struct ledger; /* ledger/writer.h */
struct run;    /* ledger/model.h */
struct sources;

/* The sources of a run, which is borrowed; NULL: no file is read. Lines are in `arena`. NULL: no memory. */
struct sources *sources_new(const struct run *run, struct arena *arena);

/* The same in the session that started the program: each file that is read is also recorded in the
 * run's own ledger, which is borrowed. */
struct sources *sources_record(const struct run *run, struct ledger *ledger, struct arena *arena);
void sources_free(struct sources *sources); /* accepts NULL */

/* Line `line`, from 1. NULL: the file cannot be read or may not be shown, or the line is blank or
 * does not exist. */
const char *sources_line(struct sources *sources, const char *path, unsigned line);

/* The bytes of the whole file, valid until sources_free. NULL: it cannot be read or may not be shown. */
const char *sources_whole(struct sources *sources, const char *path, size_t *size);

/* Has the file changed since the run? Then its lines are not shown. */
bool sources_changed(struct sources *sources, const char *path);

/* An interpreter ran this file, so it is source, whatever its name ends with. */
void sources_script(struct sources *sources, const char *path);

/* Gives the text of a file from elsewhere, such as a source map. Without effect if the file was read. */
void sources_give(struct sources *sources, const char *path, const char *bytes, size_t size);

/* Calls `visit` for the path of each file that was read, also for files that `visit` itself adds. */
void sources_each(struct sources *sources, void (*visit)(const char *path, void *with), void *with);

#endif /* TARE_DOCTOR_SOURCE_H */
