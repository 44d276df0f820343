/* sample.c - see sample.h. */
#include "probe/record/sample.h"

#include <errno.h>

#include "probe/core/filter.h"
#include "probe/core/raw.h"
#include "probe/core/sample_pure.h"
#include "probe/core/spare_stack.h"
#include "probe/core/state.h"
#include "probe/record/costs.h"
#include "probe/record/live.h"
#include "probe/record/rate.h"
#include "probe/record/site.h"
#include "probe/record/stack.h"
#include "probe/record/step.h"

/* Closes an entry whose release no hook saw. */
static void close_unseen(struct ledger *ledger, const struct block_record *old, const void *block)
{
    if (old->weight == 0)
        return;
    site_died(ledger, old->site, old, state_ordinal());
    filter_remove(block);
    ledger_lose(ledger, LOST_free_unseen, 1);
}

void sample_keep(struct ledger *ledger, uint64_t address, const struct block_record *record)
{
    const void *block = (const void *)(uintptr_t)address;
    const bool maybe = filter_may_hold(block);
    struct block_record old;

    filter_add(block);
    if (!live_insert(ledger, address, record, maybe, &old)) {
        filter_remove(block);
        ledger_lose(ledger, LOST_live_full, 1);
        close_unseen(ledger, &old, block);
        return;
    }
    close_unseen(ledger, &old, block);
    site_born(ledger, record->site, record->weight, record->birth);
}

static void take(struct ledger *ledger, void *block, size_t usable, uint64_t weight,
                 const void *frame)
{
    uint32_t native;
    const uint32_t stack = stack_take(ledger, frame, &native);
    const struct block_record record = {.size = usable,
                                        .weight = weight,
                                        .birth = state_ordinal(),
                                        .site =
                                            site_find(ledger, stack, ledger_class(usable),
                                                      SITE_HEAP),
                                        .native = native};

    sample_keep(ledger, (uint64_t)(uintptr_t)block, &record);
    rate_note_sample();
    if (site_peak_likely())
        step_look_for_peak(ledger);
}

/* Of blocks: the last segment, half of the whole, is in use, for the others have filled up. A segment of
 * the sites is opened when the first of its windows is full, which says little: they are counted. */
static bool is_filling(const struct ledger *ledger)
{
    const struct section_entry *live = ledger_entry(ledger, SECTION_live);

    return __atomic_load_n(&live->used, __ATOMIC_RELAXED) >= live->capacity ||
           site_count() > ledger_entry(ledger, SECTION_sites)->capacity / 4 * 3;
}

/* Watching costs time, and room. */
static void weigh(struct ledger *ledger, uint64_t begun, bool watched, size_t usable)
{
    const uint64_t took = raw_worked() - begun;
    struct cost_record cost = {0};

    if (!watched) {
        rate_sample_cost(took);
        return;
    }
    cost.program_ns = rate_watch_cost(took, ledger_class(usable), state_ordinal());
    costs_add(ledger, COST_watch, &cost);
    if (is_filling(ledger))
        rate_rest(state_ordinal());
}

/* A block to be sampled. */
struct born {
    void *block;
    size_t usable;
    uint64_t rate; /* that its countdown was drawn with */
    bool watched;  /* its class is; else chance chose it */
    const void *frame;
};

static void note_born(void *context)
{
    const struct born *born = context;
    struct ledger *ledger = state_ledger();
    uint64_t begun;

    if (!ledger)
        return;
    begun = rate_times_sample() ? raw_worked() : 0;
    if (!born->watched)
        rate_sampled(raw_now());
    take(ledger, born->block, born->usable,
         born->watched ? born->usable
                       : sample_weight(born->usable, sample_units(born->usable), born->rate),
         born->frame);
    if (begun)
        weigh(ledger, begun, born->watched, born->usable);
    step_slice();
}

void sample_born(struct thread *thread, void *block, size_t usable, const void *frame)
{
    const int saved = errno;
    struct born born = {.block = block,
                        .usable = usable,
                        .rate = thread->rate,
                        .watched = thread->countdown < -(THREAD_WATCH_BITE / 2),
                        .frame = frame};

    if (state_is_off()) {
        thread->countdown = INT64_MAX;
        return;
    }
    if (thread->alive != THREAD_ALIVE) {
        state_new_process(thread);
        return;
    }
    if (born.watched)
        thread->countdown += THREAD_WATCH_BITE;
    if (thread->countdown <= 0) {
        thread->rate = rate_now();
        thread->countdown = sample_interval(&thread->random, thread->rate);
    } else if (!born.watched) {
        return;
    }
    if (thread->busy) {
        state_lose(LOST_reentered, 1);
        return;
    }
    thread->busy = 1;
    if (!spare_stack_call(note_born, &born))
        state_lose(LOST_stack_small, 1);
    thread->busy = 0;
    errno = saved;
}

void sample_dead(void *block)
{
    struct ledger *ledger = state_ledger_now();
    struct block_record record;

    if (!ledger || !live_remove(ledger, (uint64_t)(uintptr_t)block, &record))
        return;
    filter_remove(block);
    site_died(ledger, record.site, &record, state_ordinal());
}

/* ---- realloc ---- */

void sample_lift(void *block, struct sample_kept *kept)
{
    struct ledger *ledger = state_ledger_now();

    kept->sampled =
        ledger && live_remove(ledger, (uint64_t)(uintptr_t)block, &kept->block);
    if (kept->sampled)
        filter_remove(block);
}

static bool is_watched(size_t usable)
{
    return __atomic_load_n(&thread_watched, __ATOMIC_RELAXED) >> ledger_class(usable) & 1;
}

/* The chance that a block is in the sample grows with the largest size it has had; a smaller one
 * keeps the chance, so it stands for size / chance. In a watched class every block is a sample, however it
 * came there, so each stands for itself. */
static uint64_t weight_after(const struct block_record *block, size_t usable)
{
    const bool certain = block->weight <= block->size || (usable > block->size && is_watched(usable));

    if (certain || usable == block->size)
        return certain ? usable : block->weight;
    if (usable > block->size)
        return sample_weight(usable, sample_units(usable),
                             thread_self ? thread_self->rate : rate_now());
    return (uint64_t)((double)block->weight / (double)(block->size ? block->size : 1) *
                      (double)usable);
}

/* The site of a block that realloc has moved from one size class to another. *native is that of a new
 * stack; else it stays. */
static uint32_t site_after(struct ledger *ledger, const struct block_record *record, size_t usable,
                           const void *frame, uint32_t *native)
{
    struct thread *thread = thread_self;
    uint32_t stack = 0;

    if (!record->site || ledger_class(usable) == ledger_class(record->size))
        return record->site;
    if (usable > record->size && thread && !thread->busy) {
        thread->busy = 1;
        stack = stack_take(ledger, frame, native);
        thread->busy = 0;
    }
    if (!stack)
        stack = site_stack(ledger, record->site);
    return site_find(ledger, stack, ledger_class(usable), SITE_HEAP);
}

void sample_drop(void *block, size_t usable, struct sample_kept *kept, const void *frame)
{
    struct ledger *ledger = state_ledger_now();
    struct block_record *record = &kept->block, old;
    const uint64_t weight = weight_after(record, usable);
    bool maybe;
    uint32_t site;

    if (!ledger)
        return;
    maybe = filter_may_hold(block);
    site = site_after(ledger, record, usable, frame, &record->native);
    site_moved(ledger, record, site, weight);
    record->site = site;
    record->grown = ledger_grown(record->grown + (usable != record->size ? 1u : 0u));
    record->size = usable;
    record->weight = weight;
    filter_add(block);
    if (!live_insert(ledger, (uint64_t)(uintptr_t)block, record, maybe, &old)) {
        filter_remove(block);
        ledger_lose(ledger, LOST_live_full, 1);
        site_died(ledger, record->site, record, state_ordinal());
    }
    close_unseen(ledger, &old, block);
}

void sample_gone(const struct sample_kept *kept)
{
    struct ledger *ledger = state_ledger_now();

    if (ledger)
        site_died(ledger, kept->block.site, &kept->block, state_ordinal());
}
