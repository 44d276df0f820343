/* requests.h - carry out what the doctor asks for, politely. */
#ifndef TARE_PROBE_REQUESTS_H
#define TARE_PROBE_REQUESTS_H

#include <stdint.h>

#include "ledger/writer.h"

void requests_serve(struct ledger *ledger); /* cheap when nothing was asked */
uint64_t requests_pause(void);              /* nanoseconds spent on interventions so far */
void requests_reset(void);

#endif /* TARE_PROBE_REQUESTS_H */
