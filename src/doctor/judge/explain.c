/* explain.c - see explain.h. */
#include "doctor/judge/explain.h"

static const struct explainer {
    enum explain_group group;
    const char *says;
    bool (*explain)(struct finding *finding, struct visit *visit);
} explainers[] = {
#define EXPLAIN(group, name, says) {EXPLAIN_##group, says, explain_##name},
#include "doctor/judge/explain.def"
#undef EXPLAIN
};

static void explain_one(struct finding *finding, struct visit *visit, enum explain_group group)
{
    const enum kind before = finding->kind;

    for (size_t i = 0; i < sizeof(explainers) / sizeof(explainers[0]); i++) {
        if (explainers[i].group != group || !explainers[i].explain(finding, visit))
            continue;
        visit_trail(visit, finding->site,
                    (struct fact){.id = FACT_why_explained,
                                  .n = {before, finding->kind, finding->demoted},
                                  .text = explainers[i].says});
        return;
    }
}

void explain_all(struct visit *visit, enum explain_group group)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        explain_one(&visit->findings[i], visit, group);
}
