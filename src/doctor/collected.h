/* collected.h - what a collection of garbage released. */
#ifndef TARE_DOCTOR_COLLECTED_H
#define TARE_DOCTOR_COLLECTED_H

#include "ledger/model.h"

struct collected {
    bool asked;        /* a collection was made */
    uint64_t released; /* sampled blocks of the site that died with it */
    uint64_t alive;    /* those that are still there */
};

/* `site`: index into model->sites; all size classes of its stack count. */
void collected_of(struct collected *out, const struct model *model, uint32_t site);

/* Most of what was there died with the collection: it waited for the collector, nobody held it. */
bool collected_lag(const struct collected *collected);

#endif /* TARE_DOCTOR_COLLECTED_H */
