/* pending.h - what the probe does inside the interpreter, in pending calls.
 *
 * Loads the adapter where the options -I, -E or -S have kept Python from loading it at its start, and
 * serves the loop clock (loops.h). Asked for on the cold path of the main thread, seldom enough to
 * cost nothing that can be measured.
 */
#ifndef TARE_PROBE_PENDING_H
#define TARE_PROBE_PENDING_H

#include <stdint.h>

#include "probe/python/python_code.h"

void pending_setup(void);  /* at probe start, on the main thread */
void pending_forked(void); /* in a forked child, whose only thread is the interpreter's main one */

/* A Python stack was taken on this thread, inside a hook; innermost first, less than `max`: whole. */
void pending_look(const struct python_frame *frames, unsigned count, unsigned max);

#endif /* TARE_PROBE_PENDING_H */
