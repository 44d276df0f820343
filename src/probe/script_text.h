/* script_text.h - the text of a script that was compiled in memory, written down beside the ledger.
 *
 * Runners of TypeScript give the engine what is in no file, with its source map at the end. Each script is
 * looked at once, when the first of its functions is recorded: one whose map is within it, and which is not
 * what its file holds, is kept for the doctor, as long as there is room.
 */
#ifndef TARE_PROBE_SCRIPT_TEXT_H
#define TARE_PROBE_SCRIPT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"

void script_text_find(void); /* looks up what is asked of V8; where the loader's lock may be taken */

/* `frame` is V8's, of a script that is called `file`; within a scope for handles. */
void script_text_meet(struct ledger *ledger, void *isolate, uint32_t isolate_number, void *frame,
                      uint32_t script, const char *file);

/* The user's script of this name is on a stack, and no more is known of it: the adapter is to find it. */
void script_text_named(const char *file);

#endif /* TARE_PROBE_SCRIPT_TEXT_H */
