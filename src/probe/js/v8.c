/* v8.c - see v8.h.
 *
 * V8's response to low memory costs a program far more than the pause: two full collections or
 * more, caches of compiled code are dropped, and the heap is made as small as possible, so that
 * many collections follow. Each full collection also removes types from optimized code, which must
 * then be compiled again. V8's function for tests makes one plain and precise collection. It
 * requires a flag, which is on from just before the call until the collection begins: some
 * microseconds. Where the program has set the flag itself, at its start or later, it stays set: V8
 * does not expose its flags, only a number that stands for all of them.
 */
#include "probe/js/v8.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/core/symbol.h"

/* v8::Isolate::GarbageCollectionType */
#define FULL  0
#define MINOR 1 /* begins with what a full one has left to other threads: the release of array buffers */

#define WORDS 32 /* a v8::HeapStatistics takes 14 */

static struct {
    void (*all)(void *isolate);
    void (*request)(void *isolate, int type); /* NULL: not available */
    void (*set_flags)(const char *);
    uint32_t (*flags)(void); /* a number that differs when a flag does; NULL: not available */
    /* These may be missing: then there are no gauges of the heap. */
    void (*new_statistics)(void *);
    void (*statistics)(void *, void *);
} v8;

static bool exposed;             /* the flag is the program's: it stays */
static __thread bool flag_is_on; /* by us */
static uint8_t flag_taken;       /* atomic: some thread has it on: another must not turn it off under it */

/* The names one after the other: a table of pointers would have to be relocated in every
 * process. */
struct names {
#define V8_SYMBOL(name, mangled) char name[sizeof(mangled)];
#include "probe/js/v8_symbols.def"
#undef V8_SYMBOL
};
static const struct names names = {
#define V8_SYMBOL(name, mangled) .name = mangled,
#include "probe/js/v8_symbols.def"
#undef V8_SYMBOL
};
static const uint16_t places[] = {
#define V8_SYMBOL(name, mangled) [V8_##name] = offsetof(struct names, name),
#include "probe/js/v8_symbols.def"
#undef V8_SYMBOL
};

const char *v8_symbol_name(enum v8_symbol symbol)
{
    return (const char *)&names + places[symbol];
}

bool v8_symbol(enum v8_symbol symbol, void *out)
{
    return symbol_find(RTLD_DEFAULT, v8_symbol_name(symbol), out);
}

bool v8_find(void)
{
    if (!v8_symbol(V8_set_flags, &v8.set_flags) || !v8_symbol(V8_request, &v8.request))
        v8.request = NULL;
    (void)v8_symbol(V8_flags, &v8.flags);
    if (!v8_symbol(V8_new_statistics, &v8.new_statistics) ||
        !v8_symbol(V8_statistics, &v8.statistics))
        v8.statistics = NULL;
    return v8_symbol(V8_low_memory, &v8.all);
}

void v8_exposed(void)
{
    __atomic_store_n(&exposed, true, __ATOMIC_RELAXED);
}

/* If it was off; the caller has taken it. */
static void turn_on(void)
{
    const uint32_t before = v8.flags ? v8.flags() : 0;

    v8.set_flags("--expose-gc");
    if (v8.flags && v8.flags() == before) {
        v8_exposed();
        __atomic_clear(&flag_taken, __ATOMIC_RELEASE);
        return;
    }
    flag_is_on = true;
}

static void request(void *isolate, int type)
{
    if (!__atomic_load_n(&exposed, __ATOMIC_RELAXED)) {
        if (__atomic_test_and_set(&flag_taken, __ATOMIC_ACQUIRE)) {
            v8.all(isolate); /* V8 aborts without the flag */
            return;
        }
        turn_on();
    }
    v8.request(isolate, type);
    v8_collection_begins(); /* if none began */
}

void v8_collection_begins(void)
{
    if (!flag_is_on)
        return;
    flag_is_on = false;
    v8.set_flags("--no-expose-gc");
    __atomic_clear(&flag_taken, __ATOMIC_RELEASE);
}

void v8_collect(void *isolate)
{
    if (!v8.request) {
        v8.all(isolate);
        return;
    }
    request(isolate, FULL);
    request(isolate, MINOR);
}

/* The order of the first members has been the same from Node 18 to 24: total, executable, physical,
 * available, used, limit, malloced, external. */
bool v8_heap_size(void *isolate, uint64_t *used, uint64_t *external, uint64_t *limit)
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

/* Another thread that had the flag on is gone. In V8 it stays on, as if the program had set it. */
void v8_forked(void)
{
    if (!flag_is_on)
        __atomic_clear(&flag_taken, __ATOMIC_RELEASE);
}
