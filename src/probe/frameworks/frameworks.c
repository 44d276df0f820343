/* frameworks.c - see frameworks.h.
 *
 * Records are found again by the hash of their texts. The known callers hold the interpreter's
 * lock; another lock, brief, keeps the records whole for any other caller.
 */
#include "probe/frameworks/frameworks.h"

#include <errno.h>
#include <string.h>

#include "ledger/known_texts.h"
#include "probe/core/brief_lock.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/frameworks/counted_types.h"

#define LOCK_TRIES 4096
#define TRACES_MAX 2048 /* the section's capacity */
#define REGISTRIES_MAX 64

static uint64_t trace_keys[TRACES_MAX]; /* beside the records of the section */
static uint32_t trace_count;
static uint64_t registry_keys[REGISTRIES_MAX];
static uint32_t registry_count;
static uint8_t held; /* atomic: guards the four above */
static uint64_t kernels;    /* atomic: in TensorFlow's cache */
static bool kernels_seen;   /* atomic: was there ever one? */

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

/* The ledger, with this thread marked as at work; NULL: nothing is recorded. */
static struct ledger *enter(struct thread **thread)
{
    struct ledger *ledger;

    *thread = thread_self ? thread_self : thread_attach();
    if (!*thread || (*thread)->busy || (*thread)->alive != THREAD_ALIVE)
        return NULL;
    (*thread)->busy = 1;
    ledger = state_ledger();
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
                                       .first = state_ordinal()};
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

static void record_trace(struct ledger *ledger, const struct trace *trace)
{
    struct trace_record *record = trace_of(ledger, trace);
    const uint64_t now = state_ordinal();

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

void frameworks_trace(const char *function, const char *file, int line, const char *call_file,
                      int call_line, const char *argument, int change, int more, int live)
{
    const int saved = errno;
    const struct trace trace = {.function = text_of(function),
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
        record_trace(ledger, &trace);
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
    *record = (struct registry_record){.first_count = count, .first = state_ordinal()};
    registry_keys[registry_count++] = key;
    __atomic_store_n(&record->name, put_text(ledger, name), __ATOMIC_RELEASE);
    return record;
}

static void record_registry(struct ledger *ledger, const char *name, uint64_t count)
{
    struct registry_record *record = registry_of(ledger, name, count);

    if (!record)
        return;
    if (count > record->most)
        __atomic_store_n(&record->most, count, __ATOMIC_RELAXED);
    if (count != record->count) {
        __atomic_store_n(&record->changed, state_ordinal(), __ATOMIC_RELAXED);
        if (count > record->count)
            (void)__atomic_add_fetch(&record->rises, 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&record->count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&record->last, state_ordinal(), __ATOMIC_RELAXED);
}

void frameworks_registry(const char *name, int count)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter(&thread);

    if (ledger) {
        record_registry(ledger, text_of(name), count > 0 ? (uint64_t)count : 0);
        leave(thread);
    }
    errno = saved;
}

void frameworks_kernel_added(void)
{
    __atomic_store_n(&kernels_seen, true, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&kernels, 1, __ATOMIC_RELAXED);
}

void frameworks_kernels_cleared(void)
{
    __atomic_store_n(&kernels, 0, __ATOMIC_RELAXED);
}

void frameworks_write(struct ledger *ledger)
{
    const char *name;
    uint64_t count;
    const bool cached = __atomic_load_n(&kernels_seen, __ATOMIC_RELAXED);

    if ((counted_types() == 0 && !cached) || !brief_lock(&held, LOCK_TRIES))
        return;
    if (cached)
        record_registry(ledger, known_text(KNOWN_store_kernels),
                      __atomic_load_n(&kernels, __ATOMIC_RELAXED));
    for (unsigned i = 0; i < counted_types(); i++)
        if (counted_type(i, &name, &count))
            record_registry(ledger, name, count);
    brief_unlock(&held);
}

/* ---- notes ---- */

void frameworks_forked(void)
{
    trace_count = registry_count = 0;
    held = 0;
}
