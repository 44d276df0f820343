/* allow.h - leaks that are known and allowed: suppressions in the syntax of LeakSanitizer.
 *
 *     # The driver keeps its tables until the process ends.
 *     leak:driver_table_new
 *
 * A pattern is looked for in the function, file and module of every frame of a finding, and in the
 * line that stores it; "*" stands for anything, "^" and "$" bind it to the ends. The comment right
 * above a line is its reason. One pattern without a reason works, too, and is told.
 */
#ifndef TARE_DOCTOR_ALLOW_H
#define TARE_DOCTOR_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct arena;   /* base/arena.h */
struct finding; /* doctor/facts/diagnosis.h */

struct allow_rule {
    const char *pattern;
    const char *reason; /* NULL: none was written */
    unsigned line;      /* in its file */
    size_t used;        /* findings it allowed */
};

struct allow {
    const char *name; /* of its file; borrowed */
    struct allow_rule *rules;
    size_t count;
};

/* Everything lies in `arena`. ERR_USAGE: a line is no suppression; `why` names it. */
int allow_parse(struct allow *out, const char *name, const char *text, size_t length,
                struct arena *arena, struct why *why);

/* The first rule that fits, counted as used; NULL: none does. `allow` may be NULL. */
const struct allow_rule *allow_find(struct allow *allow, const struct finding *finding);

/* True if the pattern fits the text. */
bool allow_fits(const char *pattern, const char *text);

#endif /* TARE_DOCTOR_ALLOW_H */
