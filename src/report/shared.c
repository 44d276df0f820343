/* shared.c - see shared.h. */
#include "report/shared.h"

/* Are these one finding in two processes? */
static bool same_finding(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->note == b->note && a->allocated_count > 0 &&
           b->allocated_count > 0 && place_same(a->allocated_at, b->allocated_at) &&
           place_same(a->stored_at, b->stored_at);
}

static bool has_finding(const struct process_report *report, const struct finding *finding)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (same_finding(&report->findings[i], finding))
            return true;
    return false;
}

size_t shared_by(const struct diagnosis *d, size_t first, const struct finding *finding)
{
    size_t count = 1;

    for (size_t i = 0; i < first; i++)
        if (has_finding(&d->processes[i], finding))
            return 0;
    for (size_t i = first + 1; i < d->process_count; i++)
        count += has_finding(&d->processes[i], finding);
    return count;
}
