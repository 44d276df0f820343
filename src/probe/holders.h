/* holders.h - find what holds the blocks of a site, without stopping the program for it.
 *
 * The search runs in a copy made by a raw clone: no fork handlers, no exit signal, so that the
 * host's own waits see nothing. The program pauses only while it is copied. The copy closes all
 * descriptors, allocates nothing from the heap, takes no lock, has an alarm and the highest score
 * with the out-of-memory killer. The answer lies in the ledger, which both share.
 */
#ifndef TARE_PROBE_HOLDERS_H
#define TARE_PROBE_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"

/* Begins a search for the sites of a request (mailbox.h), and takes the account of resident
 * memory; no site at all: the account alone. False: it cannot be done here. */
bool holders_begin(struct ledger *ledger, const uint64_t argument[4], uint64_t *pause_ns);

/* main has returned to the frame at this address: what it held lies below, and still counts. We
 * work on a stack of our own from now on, which does not. */
void holders_main_returned(uintptr_t frame, const void *stack, size_t size);

enum holders_progress { HOLDERS_IDLE, HOLDERS_BUSY, HOLDERS_FINISHED };
/* Looks, without waiting, whether the copy has come to its end. */
enum holders_progress holders_poll(struct ledger *ledger);

bool holders_answered(void); /* no copy is at work, or only on what is not waited for */

void holders_reset(void); /* a new process: the copy is another's child */

#endif /* TARE_PROBE_HOLDERS_H */
