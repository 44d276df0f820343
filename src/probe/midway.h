/* midway.h - in the middle of a script that does not return to its event loop, at a safe point of its engine.
 *
 * The adapter has been called there: the heap may be measured and collected, but no JavaScript may run.
 */
#ifndef TARE_PROBE_MIDWAY_H
#define TARE_PROBE_MIDWAY_H

#include <stdbool.h>

bool midway_is_now(void); /* is the calling thread within such a call? */

#endif /* TARE_PROBE_MIDWAY_H */
