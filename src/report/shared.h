/* shared.h - a finding that several processes have: forked workers leak alike, and a report shows it once. */
#ifndef TARE_REPORT_SHARED_H
#define TARE_REPORT_SHARED_H

#include "doctor/facts/diagnosis.h"

/* How many processes, from number `first` on, have this finding. 0: an earlier one has it, so it was already
 * shown. */
size_t shared_by(const struct diagnosis *d, size_t first, const struct finding *finding);

#endif /* TARE_REPORT_SHARED_H */
