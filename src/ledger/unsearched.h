/* unsearched.h - why a search for holders has no answer: the numbers and words of unsearched.def. */
#ifndef TARE_LEDGER_UNSEARCHED_H
#define TARE_LEDGER_UNSEARCHED_H

#include <stddef.h>
#include <stdint.h>

enum unsearched { /* struct holder_record.reason; 0: not known */
#define UNSEARCHED(number, name, says) UNSEARCHED_##name = number,
#include "ledger/unsearched.def"
#undef UNSEARCHED
};

/* Completes "not searched (…)"; NULL: a newer tare wrote it, or there is no reason. */
static inline const char *unsearched_text(uint32_t reason)
{
    static const char *const says[] = {
#define UNSEARCHED(number, name, says) [number] = says,
#include "ledger/unsearched.def"
#undef UNSEARCHED
    };

    return reason < sizeof(says) / sizeof(says[0]) ? says[reason] : NULL;
}

#endif /* TARE_LEDGER_UNSEARCHED_H */
