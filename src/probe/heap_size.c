/* heap_size.c - see heap_size.h. */
#include "probe/heap_size.h"

#include <stddef.h>

#include "probe/stack_js.h"
#include "probe/symbol.h"

#define WORDS 32 /* a v8::HeapStatistics takes 14 */

/* These may be missing: then there are no gauges of the heap. */
static struct {
    void (*new_statistics)(void *);
    void (*statistics)(void *, void *);
} v8;

void heap_size_find(void)
{
    if (!symbol_find(RTLD_DEFAULT, "_ZN2v814HeapStatisticsC1Ev", &v8.new_statistics) ||
        !symbol_find(RTLD_DEFAULT, "_ZN2v87Isolate17GetHeapStatisticsEPNS_14HeapStatisticsE",
                     &v8.statistics))
        v8.statistics = NULL;
}

/* The order of the first members has been the same from Node 18 to 24: total, executable, physical,
 * available, used, limit, malloced, external. */
bool heap_size_of(void *isolate, uint64_t *used, uint64_t *external, uint64_t *limit)
{
    uint64_t words[WORDS] = {0};

    if (!v8.statistics)
        return false;
    v8.new_statistics(words);
    v8.statistics(isolate, words);
    *used = words[4];
    *limit = words[5];
    *external = words[7];
    return true;
}

bool heap_size(uint64_t *used, uint64_t *external, uint64_t *limit)
{
    return stack_js_may_ask() && heap_size_of(stack_js_isolate(), used, external, limit);
}
