/* remembered.h - a question about each unit of a table of the ledger, asked once for each. */
#ifndef TARE_PROBE_REMEMBERED_H
#define TARE_PROBE_REMEMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* What `known` has for a unit. Two threads may ask at the same time: they get the same answer. */
enum remembered { NOT_ASKED = 0, ANSWER_NO = 1, ANSWER_YES = 2 };

/* Is it so for this unit? `known`: enum remembered, atomic, by unit; it has `room` units, counted from 1. Of
 * a unit outside it is not so. `ask` gets the place of the unit's record in the table. */
static inline bool remembered(uint8_t *known, uint32_t room, uint32_t unit,
                              bool (*ask)(const struct ledger *, uint32_t place),
                              const struct ledger *ledger)
{
    uint8_t answer;

    if (unit == 0 || unit >= room)
        return false;
    answer = __atomic_load_n(&known[unit], __ATOMIC_RELAXED);
    if (answer == NOT_ASKED) {
        answer = ask(ledger, unit - 1) ? ANSWER_YES : ANSWER_NO;
        __atomic_store_n(&known[unit], answer, __ATOMIC_RELAXED);
    }
    return answer == ANSWER_YES;
}

#endif /* TARE_PROBE_REMEMBERED_H */
