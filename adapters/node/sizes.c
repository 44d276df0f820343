/* sizes.c - how large the heap is, how fast it fills, whether it rises from collection to
 * collection. */
#include "instance.h"

#define RISE_LEAST    16384 /* bytes; less is noise of V8 */
#define MADE_NS       1000000000u
#define HEAP_NS       20000000u /* reading the heap's size costs about 2 µs */

static void note_rise(struct instance *instance, uint64_t used, uint64_t now)
{
    instance->rise = instance->kept && used > instance->kept + RISE_LEAST ? used - instance->kept : 0;
    if (instance->rise) {
        instance->rise_base = instance->rises++ ? instance->rise_base : instance->kept;
        instance->risen = now;
    } else {
        instance->rises = 0;
    }
    instance->kept = used;
}

/* V8's own collections leave some megabytes that a requested one frees. They are compared with each
 * other only until a collection was requested. */
static bool is_comparable(struct instance *instance)
{
    const bool asked = probe->js_kept_by_request();

    if (asked && !instance->asked) {
        instance->asked = true;
        instance->kept = instance->rises = 0;
    }
    return asked || !instance->asked;
}

/* From one reading to the next, without what young collections freed in between. */
static void note_made(struct instance *instance, uint64_t used, uint64_t now)
{
    instance->made += used > instance->trend.used ? used - instance->trend.used : 0;
    if (now - instance->made_since > 2 * MADE_NS) { /* of the latest second, more or less */
        instance->made /= 2;
        instance->made_since += (now - instance->made_since) / 2;
    }
}

/* At the end of the latest full collection, without the adapter's own memory. */
static uint64_t kept_by_it(const struct instance *instance, uint64_t used)
{
    const uint64_t kept = probe->js_kept();

    if (!kept)
        return used;
    return kept - ((int64_t)kept > instance->own ? (uint64_t)instance->own : 0);
}

uint64_t instance_measure(struct instance *instance)
{
    bool done;

    instance->measuring = true;
    done = probe->js_collect();
    instance->measuring = false;
    return done ? probe->js_kept() : 0;
}

void sizes_measure(struct instance *instance, uint64_t full)
{
    const uint64_t now = now_ns();
    uint64_t used, external;
    bool mine;

    if (full == instance->full && now - instance->heap_time < HEAP_NS)
        return;
    instance->heap_time = now;
    if (!probe->js_heap(&used, &external))
        return;
    used -= (int64_t)used > instance->own ? (uint64_t)instance->own : 0;
    note_made(instance, used, now);
    mine = charge_note(instance, used);
    probe->gauge(GAUGE_heap_used, charge_total());
    if (mine)
        probe->gauge(GAUGE_external, external);
    if (full != instance->full) {
        instance->full = full;
        if (is_comparable(instance))
            note_rise(instance, kept_by_it(instance, used), now);
        if (mine)
            charge_report(instance, instance->kept);
    }
}
