/* native_cause.h - the code of libraries that made a finding's memory.
 *
 * The line of the user stays the line that a finding names. What that line called until it allocated says
 * in which library the memory was made. One line may come to native code in several ways: the blocks that are
 * alive decide, by their bytes.
 */
#ifndef TARE_DOCTOR_NATIVE_CAUSE_H
#define TARE_DOCTOR_NATIVE_CAUSE_H

#include <stdint.h>

struct model; /* ledger/model.h */
struct visit; /* doctor/measure/visit.h */

/* The native part that most live bytes of a site's stack have (a stack id); 0: most have none. */
uint32_t native_cause_part(const struct model *model, uint32_t site);

/* Sets the library functions and the native code of each finding that has a site. */
void native_cause_find(struct visit *visit);

#endif /* TARE_DOCTOR_NATIVE_CAUSE_H */
