/* requests.h - carries out the doctor's requests within their limits on pauses. */
#ifndef TARE_PROBE_REQUESTS_H
#define TARE_PROBE_REQUESTS_H

#include <stdint.h>

#include <stdbool.h>

#include "ledger/writer.h"

void requests_serve(struct ledger *ledger); /* cheap when there is no request */
/* The last round is over: waits for a search that has begun, within a limit. */
void requests_await(struct ledger *ledger);
bool requests_wait(void);                   /* a request waits for a tick of the adapter */
void requests_serve_waiting(struct ledger *ledger); /* with the interpreter's lock */
uint64_t requests_pause(void);              /* nanoseconds spent on interventions so far */
void requests_forked(void);

#endif /* TARE_PROBE_REQUESTS_H */
