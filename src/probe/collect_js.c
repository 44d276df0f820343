/* collect_js.c - see collect_js.h.
 *
 * What V8 does when it is told that memory is low costs a program far more than the pause: two full
 * collections or more, caches of compiled code thrown away, the heap made as small as can be, so that many
 * collections of its own follow; and each full one takes types from optimized code, which has to be made
 * anew. Its function for tests makes one plain and precise collection. It insists on a flag, which is on
 * from just before the call until the collection begins: some microseconds. Where the program has set the
 * flag itself, at its start or later, it stays: V8 tells none of its flags, but a number that stands for all.
 */
#include "probe/collect_js.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/symbol.h"

/* v8::Isolate::GarbageCollectionType */
#define FULL  0
#define MINOR 1 /* begins with what a full one has left to other threads: the release of array buffers */

static struct {
    void (*all)(void *isolate);
    void (*request)(void *isolate, int type); /* NULL: not to be had */
    void (*set_flags)(const char *);
    uint32_t (*flags)(void); /* a number that differs when a flag does; NULL: not to be had */
} v8;

static bool exposed;             /* the flag is the program's: it stays */
static __thread bool flag_is_on; /* by us */
static uint8_t flag_taken;       /* atomic: some thread has it on: another must not turn it off under it */

bool collect_js_find(void)
{
    if (!symbol_find(RTLD_DEFAULT, "_ZN2v82V818SetFlagsFromStringEPKc", &v8.set_flags) ||
        !symbol_find(RTLD_DEFAULT,
                     "_ZN2v87Isolate34RequestGarbageCollectionForTestingENS0_21GarbageCollectionTypeE",
                     &v8.request))
        v8.request = NULL;
    (void)symbol_find(RTLD_DEFAULT, "_ZN2v814ScriptCompiler20CachedDataVersionTagEv", &v8.flags);
    return symbol_find(RTLD_DEFAULT, "_ZN2v87Isolate21LowMemoryNotificationEv", &v8.all);
}

void collect_js_exposed(void)
{
    __atomic_store_n(&exposed, true, __ATOMIC_RELAXED);
}

/* If it was off; the caller has taken it. */
static void turn_on(void)
{
    const uint32_t before = v8.flags ? v8.flags() : 0;

    v8.set_flags("--expose-gc");
    if (v8.flags && v8.flags() == before) {
        collect_js_exposed();
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
    collect_js_begins(); /* if none began */
}

void collect_js_begins(void)
{
    if (!flag_is_on)
        return;
    flag_is_on = false;
    v8.set_flags("--no-expose-gc");
    __atomic_clear(&flag_taken, __ATOMIC_RELEASE);
}

void collect_js(void *isolate)
{
    if (!v8.request) {
        v8.all(isolate);
        return;
    }
    request(isolate, FULL);
    request(isolate, MINOR);
}
