/* detect.c - see detect.h. */
#include "doctor/detect/detect.h"

static const struct detector {
    enum detect_group group;
    const char *says;
    bool (*applies)(const struct visit *visit);
    void (*detect)(struct visit *visit);
} detectors[] = {
#define DETECT(group, name, says) {DETECT_##group, says, detect_##name##_applies, detect_##name},
#include "doctor/detect/detect.def"
#undef DETECT
};

/* Runs the detector, and records in the trail how many findings it proposed. */
static void run(const struct detector *detector, struct visit *visit)
{
    const size_t before = visit->finding_count;

    detector->detect(visit);
    visit_trail(visit, 0,
                (struct fact){.id = FACT_why_detector,
                              .n = {visit->finding_count > before ? visit->finding_count - before : 0},
                              .text = detector->says});
}

void detect_all(struct visit *visit, enum detect_group group)
{
    for (size_t i = 0; i < sizeof(detectors) / sizeof(detectors[0]); i++)
        if (detectors[i].group == group && detectors[i].applies(visit))
            run(&detectors[i], visit);
}
