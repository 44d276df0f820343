/* greeting.h - has an adapter of the program's language said hello, and does the ledger say so? */
#ifndef TARE_PROBE_GREETING_H
#define TARE_PROBE_GREETING_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

bool greeting_take(const char *what); /* the text is copied; false: another adapter was first */
void greeting_publish(void);          /* the adapter that took it is here from now on */
bool greeting_is_here(void);

/* Writes the greeting into the ledger, once both exist. */
void greeting_note(struct ledger *ledger);

/* Notes once that this process has an interpreter whose adapter never came, so that its steps
 * are not seen. Until `grace` nanoseconds after the ledger began the adapter may still come. */
void greeting_missed(struct ledger *ledger, uint64_t now, uint64_t grace);

void greeting_forked(void); /* a new ledger has neither note; the adapter is still there */

#endif /* TARE_PROBE_GREETING_H */
