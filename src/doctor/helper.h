/* helper.h - ask a question of an interpreter of Python or JavaScript outside the program.
 *
 * A ledger may name any file as its program. Only the session that started the program asks that program's
 * interpreter; everyone else asks the one in the reader's PATH (base/search_path.h). It runs one of our
 * scripts, isolated from the user's modules, and is killed when it takes too long.
 */
#ifndef TARE_DOCTOR_HELPER_H
#define TARE_DOCTOR_HELPER_H

#include <stdbool.h>
#include <stddef.h>

struct text; /* base/text.h */

#define HELPER_MS 3000 /* for one run */

/* `program`: path of the executable that this process started and examined (visit_interpreter); NULL: it
 * started none. True: it answered and ended with status 0;
 * `answer` then holds what it wrote. `script`: name of a directory beside the adapters. */
bool helper_ask(const char *program, const char *script, const struct text *question,
                struct text *answer);

/* The same of Node. `script`: name of a file beside its adapter. */
bool helper_ask_node(const char *program, const char *script, const struct text *question,
                     struct text *answer);

/* The same with the interpreter at this path, and a limit in milliseconds. */
bool helper_run(const char *interpreter, const char *script_path, const struct text *question,
                struct text *answer, unsigned limit_ms);

#endif /* TARE_DOCTOR_HELPER_H */
