/* device_pool.h - device buffers that a framework keeps for tensors of exactly the same size.
 *
 * If the program requests the same sizes again, the pool stops growing. If it always requests new
 * sizes, no buffer in the pool ever fits: every returned buffer stays, and none is used again.
 */
#ifndef TARE_DOCTOR_DEVICE_POOL_H
#define TARE_DOCTOR_DEVICE_POOL_H

#include "doctor/measure/visit.h"

struct device_pool {
    double rate;           /* growth of its free bytes per tick; 0: they do not grow */
    uint64_t first, last;  /* its free bytes at tick `since` and at the end */
    uint64_t since;        /* the tick at which `first` was measured */
    uint64_t used;         /* bytes in use at the last step */
    uint32_t site;         /* site of most of its bytes, index into model->sites; UINT32_MAX: not known */
    uint64_t kept, reused; /* sampled buffers of that site: `kept` were never used again, `reused` were */
};

/* True if the free bytes of the pool grow until the end of the run, by buffers that are never used
 * again. */
bool device_pool_judge(struct device_pool *out, const struct visit *visit);

/* For a gc-lag finding: if memory was released when the device had finished its work, the
 * garbage waited for the device. Adds this fact and the advice. */
void device_pool_lag(struct finding *out, const struct visit *visit);

/* The largest number of live bytes that were released when a device had finished its work; 0: none. */
double device_pool_returned(const struct model *model);

/* True if this heap site may be the records that a device's library and driver keep of each
 * buffer. They are allocated at the first use of the buffer and stay as long as the tensors do. */
bool device_pool_record(const struct visit *visit, uint32_t site);

#endif /* TARE_DOCTOR_DEVICE_POOL_H */
