/* culprits.h - cohorts that grow, put together by the line that makes them. */
#ifndef TARE_DOCTOR_CULPRITS_H
#define TARE_DOCTOR_CULPRITS_H

#include "doctor/visit.h"

/* What became of one column's suspicion: its best cohort over all windows. */
struct outcome {
    bool suspected;
    struct cohort best;
    const struct suspect *suspect; /* the window that gave it; borrowed from the visit */
};

void culprits_try(struct outcome outcomes[SERIES_COLUMNS], struct visit *visit);

/* One finding for each line whose blocks grow. Returns bytes per tick of all of them, those too
 * small to mention included. */
struct slope culprits_report(struct visit *visit, const struct outcome outcomes[SERIES_COLUMNS]);

/* Fills allocated_at from a site's stack. */
void culprits_locate(struct finding *out, const struct visit *visit, uint32_t site);

/* Fills who holds the blocks of a site, and what that says of the kind, into a finding whose words
 * are made already. `events`: how many things its container must hold, at least half of them. */
void culprits_hold(struct finding *out, const struct visit *visit, uint32_t site, uint64_t events);

/* Did loading modules make this site's blocks, with slices of time for a clock? Then it is no
 * suspect. */
bool culprits_loading(const struct visit *visit, uint32_t site);

#endif /* TARE_DOCTOR_CULPRITS_H */
