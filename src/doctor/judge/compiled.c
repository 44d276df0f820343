/* compiled.c - see compiled.h. */
#include "doctor/judge/compiled.h"

#include <math.h>
#include <string.h>


static bool same_call(const struct model_trace *left, const struct model_trace *right)
{
    return left && right && left->call_line == right->call_line &&
           strcmp(left->call_file, right->call_file) == 0;
}

/* The one that says more of who holds it; of two alike, the larger. */
static bool says_more(const struct finding *left, const struct finding *right)
{
    if ((left->stored_at != NULL) != (right->stored_at != NULL))
        return left->stored_at != NULL;
    if ((left->holder_count > 0) != (right->holder_count > 0))
        return left->holder_count > 0;
    return left->rate.estimate > right->rate.estimate;
}

/* The lines of the body, which lie before that of the call, are left out. */
static void begin_at_call(struct finding *out, const struct model_trace *trace)
{
    for (size_t i = 0; i < out->allocated_count; i++) {
        const struct place *place = &out->allocated_at[i];

        if (!place->file || place->line != trace->call_line ||
            strcmp(place->file, trace->call_file) != 0)
            continue;
        out->allocated_at += i;
        out->allocated_count -= i;
        return;
    }
}

static void add(struct finding *to, const struct finding *other)
{
    to->rate.estimate += other->rate.estimate;
    to->rate.low += other->rate.low;
    to->rate.high += other->rate.high;
    to->live_bytes += other->live_bytes;
    to->live_blocks += other->live_blocks;
    to->since = other->since < to->since ? other->since : to->since;
    if (!other->note)
        demote(to, DEMOTED_none);
    to->confidence = fmax(to->confidence, other->confidence);
}

/* The finding at `first` and all of the same call behind it, as one at `first`. */
static bool join_call(struct visit *visit, const struct model_trace **traces, size_t first)
{
    struct finding *one = &visit->findings[first];
    bool joined = false;

    for (size_t i = first + 1; i < visit->finding_count; i++) {
        struct finding *other = &visit->findings[i];

        if (!same_call(traces[first], traces[i]))
            continue;
        if (says_more(other, one)) {
            const struct finding better = *other;

            *other = *one;
            *one = better;
        }
        add(one, other);
        traces[i] = NULL;
        other->id = UINT32_MAX; /* told with the other */
        joined = true;
    }
    return joined;
}

static void leave_out_joined(struct visit *visit)
{
    size_t kept = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].id != UINT32_MAX)
            visit->findings[kept++] = visit->findings[i];
    visit->finding_count = kept;
}

void compiled_join(struct visit *visit, const struct model_trace *traces[VISIT_FINDINGS_MAX])
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        if (!traces[i])
            continue;
        if (join_call(visit, traces, i))
            visit->findings[i].headline = FACT_OF(grows_compiling, 0);
        begin_at_call(&visit->findings[i], traces[i]);
    }
    leave_out_joined(visit);
}
