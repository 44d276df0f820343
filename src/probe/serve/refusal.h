/* refusal.h - records why a search was not made, or has no answer. */
#ifndef TARE_PROBE_REFUSAL_H
#define TARE_PROBE_REFUSAL_H

#include <stdint.h>

#include "ledger/writer.h"

/* Notes the reason (enum unsearched), once for each. `resident` and `pause_ns`: of the copy that was
 * not made for the pause. */
void refusal_note(struct ledger *ledger, uint32_t reason, uint64_t resident, uint64_t pause_ns);

/* The sites of a request (mailbox.h) that is refused get their answer, and the reason is noted. */
void refusal_write(struct ledger *ledger, const uint64_t argument[4], uint32_t reason,
                   uint64_t resident, uint64_t pause_ns);

void refusal_forked(void); /* a new process */

#endif /* TARE_PROBE_REFUSAL_H */
