/* compiled.h - what one call makes when it compiles is one finding.
 *
 * Compiling a function runs its body, and what that makes is made at many lines: of the body, of
 * functions that it calls. None of them is to be changed; the call is.
 */
#ifndef TARE_DOCTOR_COMPILED_H
#define TARE_DOCTOR_COMPILED_H

#include "doctor/visit.h"
#include "ledger/model.h"

/* `traces`: beside the visit's findings, the function whose compilation made what each is about; NULL: it
 * was none. Findings of one call become one, which is told at the line of that call. */
void compiled_join(struct visit *visit, const struct model_trace *traces[VISIT_FINDINGS_MAX]);

#endif /* TARE_DOCTOR_COMPILED_H */
