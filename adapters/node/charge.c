/* charge.c - which heap the gauges describe, in a process in which every worker has its own heap.
 *
 * It is the heap of the main thread until another one has grown more between collections, and the
 * heap in charge has not grown from one of its collections to the next. Then that thread takes
 * over: it serves the doctor's requests to the collector, and its sizes continue from the last
 * reported ones, so that the series has no jump.
 */
#include "instance.h"

#define WINDOW       16     /* readings; the least of them counts */
#define GROWTH_LEAST 262144 /* bytes; less growth does not take over */

static struct {
    struct instance *who; /* atomic; other threads compare it and never follow it */
    int64_t growth;       /* atomic: of that heap */
    bool bound;           /* atomic: it has risen from collection to collection, so it stays in charge */
    uint64_t kept, collections; /* atomic: as last reported */
} charge;
static int64_t total; /* atomic: bytes in use, of all heaps */

#define READ(what) __atomic_load_n(&(what), __ATOMIC_RELAXED)
#define WRITE(what, value) __atomic_store_n(&(what), (value), __ATOMIC_RELAXED)

static void follow_trend(struct heap_trend *trend, uint64_t used)
{
    trend->least = trend->readings == 0 || used < trend->least ? used : trend->least;
    if (++trend->readings < WINDOW)
        return;
    trend->readings = 0;
    trend->first = trend->first ? trend->first : trend->least;
    trend->growth = (int64_t)(trend->least - trend->first);
}

static bool deserves(const struct instance *instance, const struct instance *holder)
{
    if (!holder)
        return !instance->is_worker || instance->trend.growth >= GROWTH_LEAST;
    return !READ(charge.bound) && instance->trend.growth >= GROWTH_LEAST &&
           instance->trend.growth > 2 * READ(charge.growth);
}

static bool take(struct instance *instance)
{
    struct instance *holder = __atomic_load_n(&charge.who, __ATOMIC_ACQUIRE);
    uint64_t full;

    if (holder == instance)
        return true;
    if (!deserves(instance, holder) ||
        !__atomic_compare_exchange_n(&charge.who, &holder, instance, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    (void)probe->js_collections(&full);
    instance->trend.collections_shift = READ(charge.collections) - (full - instance->own_full);
    instance->trend.kept_shift =
        instance->kept && READ(charge.kept) ? READ(charge.kept) - instance->kept : 0;
    probe->js_charge(true);
    return true;
}

bool charge_note(struct instance *instance, uint64_t used)
{
    (void)__atomic_add_fetch(&total, (int64_t)(used - instance->trend.used), __ATOMIC_RELAXED);
    instance->trend.used = used;
    follow_trend(&instance->trend, used);
    if (!take(instance))
        return false;
    WRITE(charge.growth, instance->trend.growth);
    WRITE(charge.bound, instance->rises > 0 || instance->begun);
    return true;
}

void charge_report(struct instance *instance, uint64_t kept)
{
    const uint64_t shifted = kept + instance->trend.kept_shift;
    const uint64_t collections = instance->full - instance->own_full + instance->trend.collections_shift;

    WRITE(charge.kept, shifted);
    WRITE(charge.collections, collections);
    probe->gauge(GAUGE_heap_kept, shifted);
    probe->gauge(GAUGE_collections, collections);
}

uint64_t charge_total(void)
{
    const int64_t now = READ(total);

    return now > 0 ? (uint64_t)now : 0;
}

void charge_leave(struct instance *instance)
{
    struct instance *me = instance;

    (void)__atomic_sub_fetch(&total, (int64_t)instance->trend.used, __ATOMIC_RELAXED);
    if (READ(charge.who) != me)
        return;
    probe->js_charge(false);
    WRITE(charge.growth, 0);
    WRITE(charge.bound, false);
    (void)__atomic_compare_exchange_n(&charge.who, &me, NULL, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED);
}
