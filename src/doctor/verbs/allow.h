/* allow.h - leaks that are known and allowed: suppressions in the syntax of LeakSanitizer.
 *
 *     # The driver keeps its tables until the process ends.
 *     leak:driver_table_new
 *
 * A pattern is searched in the function, file and module of every frame of a finding, and of its store
 * line. "*" stands for anything; "^" and "$" mean the beginning and the end of the text. The comment above
 * a line is its reason; a pattern without a reason works, too, but is reported.
 */
#ifndef TARE_DOCTOR_ALLOW_H
#define TARE_DOCTOR_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct arena;   /* base/arena.h */
struct finding; /* doctor/facts/diagnosis.h */

struct allow_rule {
    const char *pattern; /* without the "leak:" before it */
    const char *reason;  /* the comment above it; NULL: none */
    unsigned line;       /* in its file, from 1 */
    size_t used;         /* number of findings that it allowed */
};

struct allow {
    const char *name;         /* of the file; borrowed */
    struct allow_rule *rules; /* in the order of the file */
    size_t count;             /* of rules */
};

/* The rules are in `arena`. ERR_USAGE: a line is not a suppression; `why` names it. */
int allow_parse(struct allow *out, const char *name, const char *text, size_t length,
                struct arena *arena, struct why *why);

/* The first rule that matches the finding, which counts as a use of it; NULL: none matches. `allow` may
 * be NULL. */
const struct allow_rule *allow_find(struct allow *allow, const struct finding *finding);

/* Does the pattern match the text? */
bool allow_fits(const char *pattern, const char *text);

#endif /* TARE_DOCTOR_ALLOW_H */
