/* detect.c - see detect.h. */
#include "doctor/detect/detect.h"

static const struct detector {
    enum detect_group group;
    bool (*applies)(const struct visit *visit);
    void (*detect)(struct visit *visit);
} detectors[] = {
#define DETECT(group, name, says) {DETECT_##group, detect_##name##_applies, detect_##name},
#include "doctor/detect/detect.def"
#undef DETECT
};

void detect_all(struct visit *visit, enum detect_group group)
{
    for (size_t i = 0; i < sizeof(detectors) / sizeof(detectors[0]); i++)
        if (detectors[i].group == group && detectors[i].applies(visit))
            detectors[i].detect(visit);
}
