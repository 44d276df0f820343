/* device_work.h - what a device has to do for a program of JavaScript, and what stays for as long as that. */
#ifndef TARE_DOCTOR_DEVICE_WORK_H
#define TARE_DOCTOR_DEVICE_WORK_H

#include "doctor/visit.h"

/* What waits may wait for a device too, where one was asked to finish: that is said, and what to do. */
void device_work_lag(struct finding *out, const struct visit *visit);

/* The most live bytes that went when a device was asked to finish its work; 0: none. */
double device_work_returned(const struct model *model);

/* The library and the driver of a device have records of each buffer in the heap, made where that was first
 * used: where tensors stay, they do. */
bool device_work_record(const struct visit *visit, uint32_t site);

#endif /* TARE_DOCTOR_DEVICE_WORK_H */
