/* device_pool.h - buffers of a device that a framework keeps for tensors of exactly their size.
 *
 * A pool that is asked for sizes that come again stops growing. One that is asked for ever new sizes never
 * hits: each buffer that is given back stays, and none is used again.
 */
#ifndef TARE_DOCTOR_DEVICE_POOL_H
#define TARE_DOCTOR_DEVICE_POOL_H

#include "doctor/visit.h"

struct device_pool {
    double rate;           /* bytes per tick by which what is free in it grows; 0: it does not */
    uint64_t first, last;  /* bytes that were free in it, at the beginning and at the end … */
    uint64_t since;        /* … from this tick on */
    uint64_t used;         /* bytes in use at the last step */
    uint32_t site;         /* the line of most of it, index into model->sites; UINT32_MAX: not known */
    uint64_t kept, reused; /* sampled buffers of that line: never used again, and others */
};

/* Does what is free in the pool grow to the end of the run, by buffers that are never used again? */
bool device_pool_judge(struct device_pool *out, const struct visit *visit);

/* The finding, if there is one; what the heap has shown of the same line is taken into it. */
void device_pool_report(struct visit *visit);

#endif /* TARE_DOCTOR_DEVICE_POOL_H */
