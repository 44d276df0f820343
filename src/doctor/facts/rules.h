/* rules.h - the thresholds of rules.def by name: RULE_SEGMENTS, RULE_PACE, ...
 *
 * They are constants. Only the simulator compiles the doctor with RULES_CHANGEABLE. There they are
 * variables, so that one program can show what another value does.
 */
#ifndef TARE_DOCTOR_RULES_H
#define TARE_DOCTOR_RULES_H

#include <stdint.h>

#define GROUP(title)
#define SIZE(name, value, unit, reason, source) enum { RULE_##name = (value) };
#ifdef RULES_CHANGEABLE
#define COUNT(name, value, unit, reason, source) extern int64_t RULE_##name;
#define SHARE(name, value, unit, reason, source) extern double RULE_##name;
#else
#define COUNT(name, value, unit, reason, source) enum { RULE_##name = (value) };
#define SHARE(name, value, unit, reason, source) static const double RULE_##name = (value);
#endif
#include "doctor/facts/rules.def"
#undef GROUP
#undef SIZE
#undef COUNT
#undef SHARE

#endif /* TARE_DOCTOR_RULES_H */
