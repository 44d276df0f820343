/* helper.h - runs a script in a Python or JavaScript interpreter outside the program.
 *
 * A ledger may name any file as its program. So only the session that started the program runs that
 * program's interpreter. Every other reader runs the interpreter in its PATH (base/search_path.h).
 * The interpreter runs one of tare's scripts, isolated from the user's modules, and is killed if it
 * takes too long.
 */
#ifndef TARE_DOCTOR_HELPER_H
#define TARE_DOCTOR_HELPER_H

#include <stdbool.h>
#include <stddef.h>

struct text; /* base/text.h */

#define HELPER_MS 3000 /* for one run */

/* Runs a Python script with `question` as its input. `program`: path of the executable that this
 * process started and examined (visit_interpreter); NULL: it started none. `script`: name of a
 * directory next to the adapters. True: the helper answered and ended with status 0; `answer`
 * then has its output. */
bool helper_ask(const char *program, const char *script, const struct text *question,
                struct text *answer);

/* Runs a script with Node like helper_ask(). `script`: name of a file next to the Node adapter. */
bool helper_ask_node(const char *program, const char *script, const struct text *question,
                     struct text *answer);

/* Runs a script like helper_ask(), with the interpreter at this path and a limit in milliseconds. */
bool helper_run(const char *interpreter, const char *script_path, const struct text *question,
                struct text *answer, unsigned limit_ms);

#endif /* TARE_DOCTOR_HELPER_H */
