/* device_gauges.h - what is in use on all devices, and what their pools keep, along the clock. */
#ifndef TARE_DOCTOR_DEVICE_GAUGES_H
#define TARE_DOCTOR_DEVICE_GAUGES_H

#include "doctor/measure/visit.h"

enum device_number {
    DEVICE_IN_USE, /* bytes in use */
    DEVICE_SPARE   /* bytes that are taken and not in use */
};

/* One of these numbers over the last four fifths of the ticks. */
struct device_course {
    uint64_t least[RULE_SEGMENTS]; /* minimum of each eighth */
    struct slope slope;            /* bytes per tick through these minima */
    bool rises;                    /* it rises in nearly all eighths, up to the end */
};

/* False: there are too few ticks. */
bool device_course_of(struct device_course *out, const struct visit *visit, enum device_number which);

#endif /* TARE_DOCTOR_DEVICE_GAUGES_H */
