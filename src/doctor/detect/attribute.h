/* attribute.h - which line allocates the blocks of a finding, and who holds them. */
#ifndef TARE_DOCTOR_ATTRIBUTE_H
#define TARE_DOCTOR_ATTRIBUTE_H

#include "doctor/measure/visit.h"

/* Fills allocated_at from a site's stack, and names the library whose own allocator mapped it. */
void attribute_locate(struct finding *out, const struct visit *visit, uint32_t site);

/* Names the library whose own allocator mapped the site's memory, if there is one. attribute_locate()
 * does this too. */
void attribute_pool(struct finding *out, const struct visit *visit, uint32_t site);

/* Fills in who holds the blocks of a site. A container counts as the holder if it has at least half of
 * `events` elements. */
void attribute_hold(struct finding *out, const struct visit *visit, uint32_t site, uint64_t events);

/* True if the clock is slices of time and importing modules allocated the blocks of this site. Then the
 * site is not a suspect. */
bool attribute_loading(const struct visit *visit, uint32_t site);

#endif /* TARE_DOCTOR_ATTRIBUTE_H */
