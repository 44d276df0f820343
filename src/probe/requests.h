/* requests.h - carry out what the doctor asks for, politely. */
#ifndef TARE_PROBE_REQUESTS_H
#define TARE_PROBE_REQUESTS_H

#include <stdint.h>

#include <stdbool.h>

#include "ledger/writer.h"

void requests_serve(struct ledger *ledger); /* cheap when nothing was asked */
/* The last round is over: a search that has begun is waited for, within a bound. */
void requests_await(struct ledger *ledger);
bool requests_wait(void);                   /* something waits for a tick of the adapter */
void requests_serve_waiting(struct ledger *ledger); /* with the interpreter's lock */
uint64_t requests_pause(void);              /* nanoseconds spent on interventions so far */
void requests_reset(void);

#endif /* TARE_PROBE_REQUESTS_H */
