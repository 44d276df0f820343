/* device_pool.h - device buffers that a framework keeps for tensors of exactly the same size.
 *
 * If the program requests the same sizes again, the pool stops growing. If it always requests new
 * sizes, the pool never hits: each buffer that is returned stays, and none is used again.
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

/* Does the free part of the pool grow until the end of the run, by buffers that are never used
 * again? */
bool device_pool_judge(struct device_pool *out, const struct visit *visit);

/* If a device was requested to finish, the garbage may have waited for the device. Adds this
 * fact and advice. */
void device_pool_lag(struct finding *out, const struct visit *visit);

/* The largest number of live bytes that were released when a device was requested to finish; 0:
 * none. */
double device_pool_returned(const struct model *model);

/* Does this site make the records that a device's library and driver keep of each buffer in the
 * heap? They are made at the first use of the buffer, and they stay as long as the tensors do. */
bool device_pool_record(const struct visit *visit, uint32_t site);

#endif /* TARE_DOCTOR_DEVICE_POOL_H */
