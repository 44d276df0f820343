/* attribute.h - which line makes the blocks of a finding, and who holds them. */
#ifndef TARE_DOCTOR_ATTRIBUTE_H
#define TARE_DOCTOR_ATTRIBUTE_H

#include "doctor/measure/visit.h"

/* Fills allocated_at from a site's stack, and names the library whose own allocator mapped it. */
void attribute_locate(struct finding *out, const struct visit *visit, uint32_t site);

/* The second half of that: names the library if its own allocator mapped the site's memory. */
void attribute_pool(struct finding *out, const struct visit *visit, uint32_t site);

/* Fills in who holds the blocks of a site. The container must hold at least half of `events`
 * things. */
void attribute_hold(struct finding *out, const struct visit *visit, uint32_t site, uint64_t events);

/* Did loading modules make this site's blocks, with slices of time as the clock? Then it is not
 * a suspect. */
bool attribute_loading(const struct visit *visit, uint32_t site);

#endif /* TARE_DOCTOR_ATTRIBUTE_H */
