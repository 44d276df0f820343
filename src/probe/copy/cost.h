/* cost.h - what a copy of the process costs the program: predicted before it is made, measured after.
 *
 * A clone copies the page tables of all private memory, and the program waits for that. While the copy
 * lives, each page that the program writes first must be copied: a fault each. The copy itself needs
 * tables. All of it is memory that may be missing, and time that the program does not have.
 */
#ifndef TARE_PROBE_COST_H
#define TARE_PROBE_COST_H

#include <stdbool.h>
#include <stdint.h>

#define COST_HEADROOM_LEAST (8ul << 20) /* bytes left below which a copy gives up */

struct cost_ask {
    uint64_t blocks;   /* alive */
    uint64_t block_bytes; /* what the search keeps for each of them */
    uint64_t headroom; /* bytes left below the nearest limit; 0: not known */
    bool python;       /* its objects are searched too */
    bool last;         /* the program has come to its end, and waits */
};

struct cost {
    uint64_t resident;    /* bytes of the process */
    uint64_t pages;       /* private ones, which a copy shares */
    uint64_t pause_ns;    /* to make it */
    uint64_t room;        /* bytes that its tables may take */
    uint64_t faults_most; /* that it may cause, by the memory that they take */
};

/* What a copy would cost. 0, or the reason against it (enum unsearched). */
uint32_t cost_predict(struct cost *out, const struct cost_ask *ask);

/* Around the making of a copy of this many pages: measures what the copy and a fault take. */
void cost_before_copy(void);
void cost_after_copy(uint64_t pages);

/* How many faults a copy may cause, by memory and, as far as it is known now, by time. */
uint64_t cost_faults_most(const struct cost *cost);
uint64_t cost_of_faults(uint64_t faults); /* nanoseconds */

/* Now and then: how many faults the program has anyway, in a second. */
void cost_note_faults(uint64_t now);
uint64_t cost_fault_rate(void);

void cost_forked(void); /* a new process */

#endif /* TARE_PROBE_COST_H */
