/* purse.h - the processor time that watching may take: some at once, and a share of the program's own. */
#ifndef TARE_PROBE_PURSE_H
#define TARE_PROBE_PURSE_H

#include <stdbool.h>
#include <stdint.h>

struct purse {
    uint64_t grace; /* nanoseconds that may be spent, whatever the program's length */
    uint64_t share; /* one part in this many of the program's processor time is added */
    uint64_t spent; /* atomic: nanoseconds */
    uint64_t known; /* atomic: nanoseconds available when the clock was last read; 0: never */
    bool empty;     /* atomic: more was spent than was available */
};

void purse_fill(struct purse *purse); /* a new program begins */

/* Any thread. False: nothing is left. */
bool purse_spend(struct purse *purse, uint64_t ns);

/* May something be spent? An empty purse must first have gathered a little. */
bool purse_open(struct purse *purse);

#endif /* TARE_PROBE_PURSE_H */
