/* compiled.h - joins the findings that one compiling call makes into one finding.
 *
 * Compiling a function runs its body, which allocates at many lines: in the body and in functions
 * that it calls. The user has to change none of these lines, but the call.
 */
#ifndef TARE_DOCTOR_COMPILED_H
#define TARE_DOCTOR_COMPILED_H

#include "doctor/measure/visit.h"
#include "ledger/model.h"

/* `traces` has, for each of the visit's findings, the function whose compilation made its
 * blocks; NULL: none. The findings of one call become one finding at the line of that call. */
void compiled_join(struct visit *visit, const struct model_trace *traces[VISIT_FINDINGS_MAX]);

#endif /* TARE_DOCTOR_COMPILED_H */
