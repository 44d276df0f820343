/* power.c - see power.h. */
#include "doctor/detect/power.h"

#include <math.h>
#include <stdbool.h>

#include "doctor/facts/rules.h"

#define POWER_MARGIN  1.25    /* measured windows were up to this much longer than the formula */
#define POWER_OVERDUE 8       /* if the formula's number has passed: ask for an eighth of the ticks so far */
#define POWER_MOST    1000000 /* a larger number would not help the user */

/* Old blocks live T = s (0.75 F)^2 / 2 in a window of F ticks when s survive per tick; the test
 * wants T / (F/2) >= ln(sites / RULE_TAIL). Eight arrivals make six that are old. */
uint64_t power_more(double survivors, double arrivals, uint64_t sites, uint64_t seen)
{
    const double few = 1.0 / POWER_MOST;
    const double by_test = 1.8 * log((double)sites / RULE_TAIL) / fmax(survivors, few);
    const double by_events = RULE_SURVIVORS / fmax(arrivals, few);
    const double need = fmax(RULE_WINDOW_MIN, POWER_MARGIN * fmax(by_test, by_events));
    const double more = ceil(fmin(need, POWER_MOST)) - (double)seen;
    const double least = ceil((double)(seen + 1) / POWER_OVERDUE);

    return (uint64_t)fmax(more, least);
}

uint64_t power_first(const struct series *series, double blocks)
{
    const uint64_t ticks = series->ticks;
    const bool heavy =
        !series->slices && blocks >= RULE_HEAVY_BLOCKS && ticks < RULE_HEAVY_TICKS;
    const uint64_t need = heavy ? RULE_HEAVY_TICKS : series->first_look;

    return ticks < need ? need - ticks : 1;
}
