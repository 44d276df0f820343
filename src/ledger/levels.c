/* levels.c - see levels.h. */
#include "ledger/levels.h"

#include <string.h>

#include "base/invariant.h"

#define SQUEEZE_MAX 1024

_Static_assert(sizeof(struct packed_step) <= SQUEEZE_MAX, "squeeze() holds a step");
_Static_assert(sizeof(struct sample_record) <= SQUEEZE_MAX, "squeeze() holds a sample");

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

static bool is_full(const struct place_in *in, unsigned level)
{
    return in->levels[level].tail - in->levels[level].head == levels_size(level);
}

/* The oldest two of a full last level become one, in the place of the second. */
static void squeeze(const struct place_in *in)
{
    struct level_record *ring = &in->levels[LEVELS_COUNT - 1];
    char merged[SQUEEZE_MAX];

    INVARIANT(in->record_size <= sizeof(merged));
    memcpy(merged, slot(in, LEVELS_COUNT - 1, ring->head), in->record_size);
    in->merge(merged, slot(in, LEVELS_COUNT - 1, ring->head + 1));
    memcpy(slot(in, LEVELS_COUNT - 1, ring->head + 1), merged, in->record_size);
    __atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}

static void publish(struct level_record *ring)
{
    INVARIANT(ring->head <= ring->tail);
    __atomic_store_n(&ring->tail, ring->tail + 1, __ATOMIC_RELEASE); /* acquired by the reader */
}

/* The oldest two of a level become one at the end of the next, which has room; then they go. */
static void pass_on(const struct place_in *in, unsigned level)
{
    struct level_record *ring = &in->levels[level], *next = &in->levels[level + 1];
    char *to = slot(in, level + 1, next->tail);

    INVARIANT(is_full(in, level) && !is_full(in, level + 1));
    memcpy(to, slot(in, level, ring->head), in->record_size);
    in->merge(to, slot(in, level, ring->head + 1));
    publish(next);
    __atomic_store_n(&ring->head, ring->head + 2, __ATOMIC_RELEASE);
}

/* Room is made from the coarsest full level down: no recursion, whose buffers a small stack of the
 * host might not hold. */
static bool put(const struct place_in *in, const void *record)
{
    unsigned level = 0;

    while (level + 1 < LEVELS_COUNT && is_full(in, level))
        level++;
    if (is_full(in, level))
        squeeze(in);
    else if (!ledger_take(in->ledger, in->section,
                          levels_start(level) + in->levels[level].tail % levels_size(level) + 1))
        return false;
    while (level > 0)
        pass_on(in, --level);
    memcpy(slot(in, 0, in->levels[0].tail), record, in->record_size);
    publish(&in->levels[0]);
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

    return put(&in, record);
}

bool levels_append_step(struct ledger *ledger, const struct step_record *step)
{
    struct packed_step packed;

    step_pack(&packed, step);
    return levels_append(ledger, SECTION_steps, SECTION_step_levels, &packed, step_merge);
}

#define KEEP_LEAST(field) older->field = newer->field < older->field ? newer->field : older->field
#define KEEP_MOST(field)  older->field = newer->field > older->field ? newer->field : older->field

void step_merge(void *into, const void *from)
{
    struct packed_step *older = into;
    const struct packed_step *newer = from;
    struct packed_step merged = *newer;
    const uint64_t *older_blocks = step_gauge(older, GAUGE_python_blocks); /* NULL: not read yet */
    uint64_t *blocks = step_gauge(&merged, GAUGE_python_blocks);

    if (older_blocks && blocks && *older_blocks < *blocks)
        *blocks = *older_blocks;
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        KEEP_LEAST(class_blocks[c]);
    KEEP_LEAST(live_min);
    KEEP_MOST(live_max);
    memcpy(merged.class_blocks, older->class_blocks, sizeof(merged.class_blocks));
    merged.live_min = older->live_min;
    merged.live_max = older->live_max;
    merged.first = older->first;
    merged.ticked |= older->ticked;
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
