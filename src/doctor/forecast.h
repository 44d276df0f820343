/* forecast.h - when the smallest limit is reached at the measured growth. */
#ifndef TARE_DOCTOR_FORECAST_H
#define TARE_DOCTOR_FORECAST_H

#include "doctor/clock.h"
#include "doctor/diagnosis.h"
#include "doctor/stats.h"

/* `rate`: bytes per tick; `device`: of a device that has memory of its own. Unknown when no limit of it was
 * recorded or the growth may be nothing. */
void forecast_make(struct forecast *out, const struct run *run, bool device,
                   const struct clock_choice *clock, const struct slope *rate, struct arena *arena);

/* Fills the rest of a forecast whose limit and headroom are known: the sooner bound is never the later. */
void forecast_reach(struct forecast *out, const struct clock_choice *clock, struct slope rate);

#endif /* TARE_DOCTOR_FORECAST_H */
