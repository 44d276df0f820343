/* site.h - allocating stacks split by size class: totals, deaths by age, weight at the peak. */
#ifndef TARE_PROBE_SITE_H
#define TARE_PROBE_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

void site_setup(void); /* once, before the first */

/* Index + 1 of the site, made if it is new; 0: the table is full (counted). */
uint32_t site_find(struct ledger *ledger, uint32_t stack, unsigned class_index,
                   enum site_kind kind);

/* `ordinal` is the interval that is open now. Both keep the weight at the last peak. */
void site_born(struct ledger *ledger, uint32_t site, uint64_t weight, uint64_t ordinal);
void site_died(struct ledger *ledger, uint32_t site, const struct block_record *block,
               uint64_t ordinal);
/* realloc: a block changed its weight, and perhaps its site. That is neither a death nor a birth
 * for the ages, only for the totals of two different sites. */
void site_moved(struct ledger *ledger, const struct block_record *block, uint32_t site,
                uint64_t weight);
uint32_t site_stack(const struct ledger *ledger, uint32_t site);

/* Have the weights grown so much since the last check that this may be a new peak? */
bool site_peak_likely(void);

/* Takes exact sums now. Marks a peak when they are a few percent above the last peak. */
struct site_look {
    uint64_t ordinal, live_bytes, mapped_bytes, resident;
};
void site_peak_look(struct ledger *ledger, const struct site_look *look);

/* Devices' memory has peaks of its own, which its own room finds. How many were marked so far. */
void site_mark_device_peak(void);
uint64_t site_device_peaks(void);

uint64_t site_count(void); /* made so far */
void site_forked(void);     /* a new process */

#endif /* TARE_PROBE_SITE_H */
