/* heap_pause_pure.c - see heap_pause_pure.h. Node 18 to 24, heaps of 8 to 40 MB of ten kinds. */
#include "probe/js/heap_pause_pure.h"

#define MARK_COLLECTIONS  15 /* numbering takes 3 to 15 times as long as a collection */
#define LEAST_COLLECTIONS 15 /* a snapshot takes 18 to 134 times as long as a collection */
#define USUAL_COLLECTIONS 50
#define LEAST_MARKS       2.5 /* and 2.7 to 15 times as long as numbering */
#define USUAL_MARKS       6
#define ARRAY_ELEMENT     8 /* bytes */
#define ARRAY_NS          46000 /* for each element: V8 10 (Node 18) looks up the text of each index */
#define VISITED           10000 /* V8 reports after so many objects */
#define SAID              4 /* the first quarter of the visits takes up to twice as long as another … */
#define UNSAID            2 /* … and must come in half of the time */
#define REST_NS           1000 /* for each object, after the visits: 800 to 2,400 of processor time */
#define BEFORE_WHOLE      5 /* and the whole takes 5 to 30 times as long as what comes before the visits */
#define LATER             1.2 /* the whole takes 1.05 to 1.4 times as long as V8's last report: what comes
                               * then is written piece by piece, and may end with each */

uint64_t heap_pause_most(uint64_t said, bool listens)
{
    return said ? said : listens ? HEAP_PAUSE_LISTENS : HEAP_PAUSE_OTHERS;
}

/* How much longer than its work a thread takes that shares its processor. */
static double stretched(const struct heap_moment *now)
{
    return now->worked && now->passed > now->worked ? (double)now->passed / (double)now->worked : 1;
}

uint64_t heap_pause_mark(const struct heap_known *known, const struct heap_moment *now)
{
    return now->passed + (uint64_t)(MARK_COLLECTIONS * (double)known->collect_ns * stretched(now));
}

/* How much larger the heap is than when it was numbered; never less than 1. */
static double grown(const struct heap_known *known)
{
    return known->mark_used && known->used > known->mark_used
               ? (double)known->used / (double)known->mark_used
               : 1;
}

static uint64_t of_arrays(const struct heap_known *known)
{
    return known->arrays / ARRAY_ELEMENT * ARRAY_NS;
}

uint64_t heap_pause_least(const struct heap_known *known)
{
    const uint64_t marks = (uint64_t)(LEAST_MARKS * (double)known->mark_ns * grown(known));
    const uint64_t collections = LEAST_COLLECTIONS * known->collect_ns;

    return of_arrays(known) + (marks > collections ? marks : collections);
}

uint64_t heap_pause_usual(const struct heap_known *known)
{
    const double marks = USUAL_MARKS * (double)known->mark_paused * grown(known);

    return of_arrays(known) +
           (known->mark_paused ? (uint64_t)marks : USUAL_COLLECTIONS * known->collect_ns);
}

bool heap_pause_goes_on(struct heap_progress *progress, const struct heap_moment *now, uint32_t done,
                        uint32_t total, uint64_t most)
{
    const uint64_t visiting = now->passed - progress->first;
    const double rest = REST_NS * (double)total * stretched(now);

    if (done == 0) {
        progress->first = now->passed;
        progress->expected = now->passed * BEFORE_WHOLE;
        return now->passed < most;
    }
    if (progress->visited) {
        progress->expected = (uint64_t)(LATER * (double)now->passed);
        return progress->expected <= most;
    }
    if (done < total / SAID) {
        progress->expected = progress->first + visiting * SAID;
        return now->passed < most / UNSAID;
    }
    progress->visited = done + VISITED > total ? now->passed : 0;
    progress->expected =
        progress->first + (uint64_t)((double)visiting * (double)total / (double)done + rest);
    return progress->expected <= most;
}
