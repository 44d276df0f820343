/* levels.c - see levels.h. */
#include "ledger/levels.h"

#include <string.h>

struct place_in {
    struct ledger *ledger;
    enum section section;
    struct level_record *levels;
    uint64_t record_size;
    levels_merge_fn *merge;
};

static char *slot(const struct place_in *in, unsigned level, uint64_t index)
{
    return (char *)ledger_records(in->ledger, in->section) +
           (levels_start(level) + index % levels_size(level)) * in->record_size;
}

/* The oldest two of a full last level become one, in the place of the second. */
static void squeeze(const struct place_in *in, unsigned level)
{
    struct level_record *ring = &in->levels[level];
    char merged[1024];

    memcpy(merged, slot(in, level, ring->head), in->record_size);
    in->merge(merged, slot(in, level, ring->head + 1));
    memcpy(slot(in, level, ring->head + 1), merged, in->record_size);
    __atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}

static bool put(const struct place_in *in, unsigned level, const void *record)
{
    struct level_record *ring = &in->levels[level];
    const uint64_t index = ring->tail % levels_size(level);
    char merged[1024];

    if (!ledger_take(in->ledger, in->section, levels_start(level) + index + 1))
        return false;
    if (ring->tail - ring->head == levels_size(level)) {
        if (level + 1 == LEVELS_COUNT) {
            squeeze(in, level);
        } else {
            memcpy(merged, slot(in, level, ring->head), in->record_size);
            in->merge(merged, slot(in, level, ring->head + 1));
            if (!put(in, level + 1, merged))
                return false;
            __atomic_store_n(&ring->head, ring->head + 2, __ATOMIC_RELEASE);
        }
    }
    memcpy(slot(in, level, ring->tail), record, in->record_size);
    __atomic_store_n(&ring->tail, ring->tail + 1, __ATOMIC_RELEASE); /* acquired by the reader */
    return true;
}

bool levels_append(struct ledger *ledger, enum section records, enum section levels,
                   const void *record, levels_merge_fn *merge)
{
    const struct place_in in = {.ledger = ledger,
                                .section = records,
                                .levels = ledger_records(ledger, levels),
                                .record_size = ledger_entry(ledger, records)->record_size,
                                .merge = merge};

    return put(&in, 0, record);
}

#define KEEP_LEAST(field) older->field = newer->field < older->field ? newer->field : older->field
#define KEEP_MOST(field) older->field = newer->field > older->field ? newer->field : older->field

void step_merge(void *into, const void *from)
{
    struct step_record *older = into;
    const struct step_record *newer = from;
    struct step_record merged = *newer;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        KEEP_LEAST(class_blocks[c]);
    KEEP_LEAST(live_min);
    KEEP_MOST(live_max);
    memcpy(merged.class_blocks, older->class_blocks, sizeof(merged.class_blocks));
    merged.live_min = older->live_min;
    merged.live_max = older->live_max;
    merged.first = older->first;
    merged.ticked |= older->ticked;
    merged.classes |= older->classes;
    merged.sampled += older->sampled;
    *older = merged;
}

void sample_merge(void *into, const void *from)
{
    struct sample_record *older = into;
    const struct sample_record *newer = from;
    struct sample_record merged = *newer;

    KEEP_LEAST(resident_min);
    KEEP_MOST(resident_max);
    merged.first = older->first;
    merged.resident_min = older->resident_min;
    merged.resident_max = older->resident_max;
    *older = merged;
}
