/* plateau.c - memory that rose and stopped: bounded by design. */
#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "ledger/site_kind.h"

/* The site with most live bytes in this column; UINT32_MAX: none. */
static uint32_t largest_site(const struct model *model, unsigned column)
{
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];
        const bool fits = column == SERIES_TENSORS  ? site_is_tensor(site->kind)
                          : column == SERIES_DEVICE ? site_is_device(site->kind)
                          : column == SERIES_MAPS
                              ? site->kind == SITE_MAP || site->kind == SITE_SHARED
                          : column == SERIES_OBJECTS
                              ? site->kind == SITE_OBJECT
                              : site->kind == SITE_HEAP &&
                                    (column == SERIES_TOTAL || site->class_index == column);

        if (fits && (best == UINT32_MAX || site->live_weight > model->sites[best].live_weight))
            best = (uint32_t)i;
    }
    return best;
}

/* A leak is already reported at this line. A leak may pause, for instance while a script prints
 * its result; the pause is not a second finding. */
static bool is_accused(const struct visit *visit, uint32_t site)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *other = &visit->findings[i];

        if (kind_status(other->kind) == 1 && !other->note && other->site > 0 &&
            site < visit->model->site_count && visit_same_line(visit, other->site - 1, site))
            return true;
    }
    return false;
}

bool detect_plateau_applies(const struct visit *visit)
{
    return visit->series.ticks >= visit->series.first_look;
}

/* All classes that rose and stopped are one finding, at the largest site of the largest class. */
void detect_plateau(struct visit *visit)
{
    struct standstill one, largest = {.column = 0};
    uint64_t total = 0, most = 0;
    struct finding *out;

    for (unsigned c = 0; c < SERIES_COLUMNS; c++) {
        uint64_t bytes;

        if (!classes_standstill(&visit->series, c, &one) ||
            visit->runtime->waits(visit, largest_site(visit->model, c)) ||
            !visit->runtime->stayed(visit, &one) ||
            is_accused(visit, largest_site(visit->model, c)))
            continue;
        bytes = (uint64_t)((double)one.blocks * visit_size(visit, c));
        if (c == SERIES_TOTAL && total > 0) /* its parts are counted already */
            continue;
        total += bytes;
        largest = bytes > most ? one : largest;
        most = bytes > most ? bytes : most;
    }
    if (total < RULE_PLATEAU_BYTES || (double)total < RULE_PLATEAU_SHARE * visit_resident(visit) ||
        !(out = visit_add(visit)))
        return;
    out->kind = KIND_plateau;
    out->confidence = 0.9;
    out->since = largest.first;
    out->live_bytes = total;
    out->live_blocks = largest.blocks;
    attribute_locate(out, visit, largest_site(visit->model, largest.column));
    out->headline = FACT_OF(stopped, total, largest.last);
    fact_add(out, FACT_OF(blocks_added, largest.blocks, largest.first, largest.last));
}
