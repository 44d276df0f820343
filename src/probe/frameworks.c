/* frameworks.c - see frameworks.h.
 *
 * Records are found again by the hash of their texts. The interpreter's lock is held by the callers
 * that we know; another lock, brief, keeps the records whole all the same.
 */
#include "probe/frameworks.h"

#include <errno.h>
#include <string.h>

#include "probe/brief_lock.h"
#include "probe/called_type.h"
#include "probe/counted_types.h"
#include "probe/export.h"
#include "probe/hooks_kernels.h"
#include "probe/hooks_tensorflow.h"
#include "probe/launch.h"
#include "probe/life.h"
#include "probe/pool.h"
#include "probe/step.h"

#define LOCK_TRIES 4096
#define TRACES_MAX 2048 /* the section's capacity */
#define REGISTRIES_MAX 64

static uint64_t trace_keys[TRACES_MAX]; /* beside the records of the section */
static uint32_t trace_count;
static uint64_t registry_keys[REGISTRIES_MAX];
static uint32_t registry_count;
static uint8_t held; /* atomic: guards the four above */

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
    return (hash ^ 0xff) * 0x100000001b3ull;
}

static uint32_t put_text(struct ledger *ledger, const char *text)
{
    return text[0] ? ledger_string(ledger, text, strlen(text)) : 0;
}

/* The ledger, with this thread marked as at work; NULL: nothing is to be told. */
static struct ledger *enter(struct thread **thread)
{
    struct ledger *ledger;

    life_begin();
    *thread = thread_self ? thread_self : thread_attach();
    if (!*thread || (*thread)->busy || (*thread)->alive != THREAD_ALIVE)
        return NULL;
    (*thread)->busy = 1;
    ledger = life_ledger();
    if (ledger && brief_lock(&held, LOCK_TRIES))
        return ledger;
    (*thread)->busy = 0;
    return NULL;
}

static void leave(struct thread *thread)
{
    brief_unlock(&held);
    thread->busy = 0;
}

/* ---- traces ---- */

struct trace {
    const char *function, *file, *call_file, *argument;
    uint32_t line, call_line, change, more, live;
};

static struct trace_record *new_trace(struct ledger *ledger, uint64_t key, const struct trace *trace)
{
    struct trace_record *records = ledger_records(ledger, SECTION_traces);
    const struct trace_record fresh = {.function = put_text(ledger, trace->function),
                                       .file = put_text(ledger, trace->file),
                                       .line = trace->line,
                                       .call_file = put_text(ledger, trace->call_file),
                                       .call_line = trace->call_line,
                                       .first = step_ordinal()};
    uint32_t id;

    if (trace_count == TRACES_MAX || (id = ledger_append(ledger, SECTION_traces, &fresh)) == 0)
        return NULL;
    trace_keys[trace_count++] = key;
    return &records[id - 1];
}

static struct trace_record *trace_of(struct ledger *ledger, const struct trace *trace)
{
    struct trace_record *records = ledger_records(ledger, SECTION_traces);
    uint64_t key = hash_text(0xcbf29ce484222325ull, trace->function);

    key = hash_text(key, trace->file) ^ (uint64_t)trace->line << 20;
    key = hash_text(key, trace->call_file) ^ trace->call_line;
    for (uint32_t i = 0; i < trace_count; i++)
        if (trace_keys[i] == key)
            return &records[i];
    return new_trace(ledger, key, trace);
}

static void tell_trace(struct ledger *ledger, const struct trace *trace)
{
    struct trace_record *record = trace_of(ledger, trace);
    const uint64_t now = step_ordinal();

    if (!record) {
        ledger_lose(ledger, LOST_traces_full, 1);
        return;
    }
    for (uint32_t i = 0; i < trace->more; i++) {
        const uint64_t count = record->count;

        __atomic_store_n(&record->recent[count % LEDGER_RECENT], now, __ATOMIC_RELAXED);
        __atomic_store_n(&record->count, count + 1, __ATOMIC_RELEASE);
    }
    if (trace->more)
        __atomic_store_n(&record->last, now, __ATOMIC_RELAXED);
    __atomic_store_n(&record->live, trace->live, __ATOMIC_RELAXED);
    if (trace->change)
        __atomic_store_n(&record->change, trace->change, __ATOMIC_RELAXED);
    if (trace->argument[0] && !record->argument)
        __atomic_store_n(&record->argument, put_text(ledger, trace->argument), __ATOMIC_RELEASE);
}

static void trace(const char *function, const char *file, int line, const char *call_file,
                  int call_line, const char *argument, int change, int more, int live)
{
    const int saved = errno;
    const struct trace told = {.function = text_of(function),
                               .file = text_of(file),
                               .call_file = text_of(call_file),
                               .argument = text_of(argument),
                               .line = line > 0 ? (uint32_t)line : 0,
                               .call_line = call_line > 0 ? (uint32_t)call_line : 0,
                               .change = change > 0 ? (uint32_t)change : 0,
                               .more = more > 0 ? (uint32_t)more : 0,
                               .live = live > 0 ? (uint32_t)live : 0};
    struct thread *thread;
    struct ledger *ledger = enter(&thread);

    if (ledger) {
        tell_trace(ledger, &told);
        leave(thread);
    }
    errno = saved;
}

/* ---- registries ---- */

static struct registry_record *registry_of(struct ledger *ledger, const char *name, uint64_t count)
{
    const uint64_t key = hash_text(0xcbf29ce484222325ull, name);
    struct registry_record *records = ledger_records(ledger, SECTION_registries);
    struct registry_record *record;

    for (uint32_t i = 0; i < registry_count; i++)
        if (registry_keys[i] == key)
            return &records[i];
    if (registry_count == REGISTRIES_MAX)
        return NULL;
    record = &records[registry_count];
    *record = (struct registry_record){.first_count = count, .first = step_ordinal()};
    registry_keys[registry_count++] = key;
    __atomic_store_n(&record->name, put_text(ledger, name), __ATOMIC_RELEASE);
    return record;
}

static void tell_registry(struct ledger *ledger, const char *name, uint64_t count)
{
    struct registry_record *record = registry_of(ledger, name, count);

    if (!record)
        return;
    if (count > record->most)
        __atomic_store_n(&record->most, count, __ATOMIC_RELAXED);
    if (count != record->count) {
        __atomic_store_n(&record->changed, step_ordinal(), __ATOMIC_RELAXED);
        if (count > record->count)
            (void)__atomic_add_fetch(&record->rises, 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&record->count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&record->last, step_ordinal(), __ATOMIC_RELAXED);
}

static void registry(const char *name, int count)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter(&thread);

    if (ledger) {
        tell_registry(ledger, text_of(name), count > 0 ? (uint64_t)count : 0);
        leave(thread);
    }
    errno = saved;
}

void frameworks_write(struct ledger *ledger)
{
    const char *name;
    uint64_t count, kernels;
    const bool cached = hooks_kernels_count(&kernels);

    if ((counted_types() == 0 && !cached) || !brief_lock(&held, LOCK_TRIES))
        return;
    if (cached)
        tell_registry(ledger, "TensorFlow's cache of kernels", kernels);
    for (unsigned i = 0; i < counted_types(); i++)
        if (counted_type(i, &name, &count))
            tell_registry(ledger, name, count);
    brief_unlock(&held);
}

/* ---- the rest ---- */

static int resolve(void)
{
    const int saved = errno;
    const bool there = hooks_tensorflow_resolve();

    errno = saved;
    return there;
}

static int64_t pool(int what)
{
    struct pool_totals totals;

    pool_totals(&totals);
    return (int64_t)(what == 0 ? totals.live : what == 1 ? totals.reserved : totals.born);
}

static void launch(void)
{
    launch_publish(__builtin_frame_address(0));
}

static void note(const char *text)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter(&thread);

    if (ledger) {
        ledger_note(ledger, step_ordinal(), text_of(text));
        leave(thread);
    }
    errno = saved;
}

void frameworks_reset(void)
{
    trace_count = registry_count = 0;
    held = 0;
}

EXPORT extern const struct tare_frameworks tare_frameworks_v1;
const struct tare_frameworks tare_frameworks_v1 = {.resolve = resolve,
                                                   .pool = pool,
                                                   .launch = launch,
                                                   .trace = trace,
                                                   .registry = registry,
                                                   .count_type = counted_type_add,
                                                   .note = note};

EXPORT extern const struct tare_frameworks_more tare_frameworks_v2;
const struct tare_frameworks_more tare_frameworks_v2 = {.clock_calls = called_type_add};
