/* parts.h - the parts of the probe, all at once: parts.def lists them. */
#ifndef TARE_PROBE_PARTS_H
#define TARE_PROBE_PARTS_H

#include <stdbool.h>

/* Prepares each part, in the order of the list. False: one that is needed has failed. */
bool parts_set_up(void);

/* In a new process: each part forgets what the parent held, in the order of the list. */
void parts_begin_again(void);

#endif /* TARE_PROBE_PARTS_H */
