/* script_text.h - saves the text of a script that was compiled in memory beside the ledger.
 *
 * TypeScript runners give the engine text that is in no file, with its source map at the end. Each
 * script is examined once, when the first of its functions is recorded. If its map is within it and
 * its text differs from its file, it is kept for the doctor, as long as there is room.
 */
#ifndef TARE_PROBE_SCRIPT_TEXT_H
#define TARE_PROBE_SCRIPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"

void script_text_find(void); /* finds V8's functions; where the loader's lock may be taken */

/* `frame` is V8's, of a script that is called `file`; within a scope for handles. */
void script_text_meet(struct ledger *ledger, void *isolate, uint32_t isolate_number, void *frame,
                      uint32_t script, const char *file);

/* The user's script of this name is on a stack, and only its name is known: the adapter must
 * find it. */
void script_text_named(const char *file);

bool script_text_wanted(void); /* since the last call: was there such a script? */

/* The adapter has found a script: the engine's number of it, the engine's name for it, and its
 * text. */
void script_text_keep(uint32_t isolate_number, uint32_t script, const char *name, const char *text,
                      size_t size);

#endif /* TARE_PROBE_SCRIPT_TEXT_H */
