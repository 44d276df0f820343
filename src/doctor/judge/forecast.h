/* forecast.h - when the smallest limit is reached at the measured growth. */
#ifndef TARE_DOCTOR_FORECAST_H
#define TARE_DOCTOR_FORECAST_H

#include "doctor/measure/visit.h"

/* `rate`: bytes per tick. `device`: the growth is in a device's own memory. The forecast is
 * unknown if no limit of that memory was recorded, or if the growth may be zero. */
void forecast_make(struct forecast *out, const struct run *run, bool device,
                   const struct clock_choice *clock, const struct slope *rate, struct arena *arena);

/* Fills the rest of a forecast whose limit and headroom are known. The low bound never exceeds
 * the high one. */
void forecast_reach(struct forecast *out, const struct clock_choice *clock, struct slope rate);

/* Uses the limit of the JavaScript heap if the growth reaches it first. */
void forecast_heap(struct forecast *out, const struct visit *visit);

/* Uses the memory of a device if growth there reaches its limit first. */
void forecast_devices(struct forecast *out, const struct visit *visit);

#endif /* TARE_DOCTOR_FORECAST_H */
