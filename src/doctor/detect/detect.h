/* detect.h - the table of detectors. Each searches the measurements for one kind of growth. */
#ifndef TARE_DOCTOR_DETECT_H
#define TARE_DOCTOR_DETECT_H

#include "doctor/measure/visit.h"

/* When a detector runs; detect.def says what each group is for. */
enum detect_group { DETECT_GROWTH, DETECT_REST, DETECT_ACCOUNT };

/* detect_NAME_applies() has all conditions on clock, language and number of ticks. detect_NAME()
 * proposes findings, with line, holder and facts. */
#define DETECT(group, name, says)                                                                  \
    bool detect_##name##_applies(const struct visit *visit);                                       \
    void detect_##name(struct visit *visit);
#include "doctor/detect/detect.def"
#undef DETECT

/* Runs the detectors of a group that apply. */
void detect_all(struct visit *visit, enum detect_group group);

#endif /* TARE_DOCTOR_DETECT_H */
