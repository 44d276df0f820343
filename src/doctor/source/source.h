/* source.h - the text of a source line, where the run vouches for the file.
 *
 * A ledger may come from anyone and may name any file. Lines are given out only of files that `tare
 * run` recorded with the run (struct source_record) and whose size and content are still the same:
 * whoever forges a record must know the file already. While the run goes on, and in the session
 * that started the program, a file without a record is read too, if its name ends as source does
 * and it was not changed after the run began. Only regular files of at most 16 MB are read, once
 * each, and kept while the sources live. Lines are valid UTF-8, trimmed, and safe to send to a
 * terminal.
 */
#ifndef TARE_DOCTOR_SOURCE_H
#define TARE_DOCTOR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;  /* base/arena.h */
struct ledger; /* ledger/writer.h */
struct run;    /* ledger/model.h */
struct sources;

/* Of a run, which is borrowed; without one no file is read. The texts given out live in `arena`.
 * NULL: no memory. */
struct sources *sources_new(const struct run *run, struct arena *arena);

/* The same in the session that started the program: each file that is read is recorded in the run's
 * own ledger, which is borrowed. */
struct sources *sources_record(const struct run *run, struct ledger *ledger, struct arena *arena);
void sources_free(struct sources *sources); /* accepts NULL */

/* Line `line`, from 1; NULL: the file is not at hand, has no such line, or it is blank. */
const char *sources_line(struct sources *sources, const char *path, unsigned line);

/* The whole file as its bytes are, valid while `sources` lives; NULL: not at hand. */
const char *sources_whole(struct sources *sources, const char *path, size_t *size);

/* Is a file there that is not as it was during the run? Then its lines are not given out. */
bool sources_changed(struct sources *sources, const char *path);

/* An interpreter has run this file: it is source, whatever its name ends with. */
void sources_script(struct sources *sources, const char *path);

/* The text of a file that is not at hand, as something else has kept it. A file that is at hand
 * wins. */
void sources_give(struct sources *sources, const char *path, const char *bytes, size_t size);

/* Calls `visit` for each path at hand, and for those that come meanwhile. */
void sources_each(struct sources *sources, void (*visit)(const char *path, void *with), void *with);

#endif /* TARE_DOCTOR_SOURCE_H */
