/* stack_js.c - see stack_js.h.
 *
 * V8 is called by the mangled names that Node exports; the same ones exist in Node 18, 20, 22 and
 * 24. A handle (v8::Local) is one pointer, returned and passed as such. Asking costs 4 to 15 µs, so
 * the answer is remembered by a key of the frame pointers: Node is built with them, and the words
 * of an interpreted frame that say which function and where in it are hashed as they are. Code
 * moves in a full collection, therefore each of these makes all keys new. Some of the answers are
 * asked for again: when one differs, nothing is remembered any more.
 */
#include "probe/js/stack_js.h"

#include <link.h>
#include <string.h>

#include "ledger/table.h"
#include "probe/core/stack_bounds.h"
#include "probe/core/symbol.h"
#include "probe/js/js_owner.h"
#include "probe/js/script_text.h"
#include "probe/js/script_unit.h"
#include "probe/js/v8.h"
#include "probe/unwind/module_place.h"

#define THOROUGH (1 << 2 | 1 << 4) /* v8::GCCallbackFlags: forced, all available garbage */
#define STARTED_MAX  64  /* modules that were there before any add-on */
#define CALLERS      4   /* frames between the hook and the allocator of ArrayBuffers, at most */
#define RUNTIME      4   /* frames of the C and C++ runtimes between the hook and an add-on, at most */
#define KEY_FRAMES   256
#define NEAR_END     65536 /* bytes: nearer than this to its end a stack has no more JavaScript */
#define NAME_BYTES   512 /* of a script; longer ones are cut */
#define FUNCTION_BYTES 96
#define BYTECODE_MAX (1u << 24)
#define DETAILED     0x7f /* v8::StackTrace::kDetailed */
#define COLLECTIONS  (1 | 2 | 4 | 16) /* v8::GCType: all but the begin of incremental marking */
#define FULL_COLLECTION 4
#define HANDLES_BYTES 64  /* a v8::HandleScope takes 24 */

struct location {
    int line, column; /* from 0 */
};

/* Functions of V8 (v8_symbols.def); an isolate, a stack, a frame and a text are pointers. */
#define V8_FUNCTIONS(X)                                                                           \
    X(current, void *, (void))                                                                    \
    X(open_handles, void, (void *, void *))                                                       \
    X(close_handles, void, (void *))                                                              \
    X(stack, void *, (void *, int, int))                                                          \
    X(frame_count, int, (void *))                                                                 \
    X(frame, void *, (void *, void *, uint32_t))                                                  \
    X(location, struct location, (void *))                                                        \
    X(script, int, (void *))                                                                      \
    X(file, void *, (void *))                                                                     \
    X(function, void *, (void *))                                                                 \
    X(on_begin, void, (void *, void (*)(void *, int, int, void *), void *, int))                  \
    X(on_end, void, (void *, void (*)(void *, int, int, void *), void *, int))                    \
    X(off_begin, void, (void *, void (*)(void *, int, int, void *), void *))                      \
    X(off_end, void, (void *, void (*)(void *, int, int, void *), void *))                        \
    X(on_call, void, (void *, void (*)(void *)))                                                  \
    X(off_call, void, (void *, void (*)(void *)))

#define MEMBER(name, result, arguments) result(*name) arguments;
static struct {
    V8_FUNCTIONS(MEMBER)
    /* Either will do. */
    int (*text_old)(void *, void *, char *, int, int *, int);
    size_t (*text_new)(void *, void *, char *, size_t, int, size_t *);
} v8;
#undef MEMBER

struct range {
    uintptr_t start, end;
};

static uint32_t ready;                  /* atomic: 1 found, 2 not available, 0 not searched yet */
static uint8_t looking;                 /* atomic: one thread looks */
static struct range started[STARTED_MAX]; /* written before `ready` */
static unsigned started_count;
static struct range engine, builtins;   /* the module of V8; its built-in code within that */
static struct range allocators[3];      /* the methods that serve ArrayBuffers */
static struct range pages;              /* the method that maps pages for V8's own heap */
static void (*on_collection)(void);     /* NULL: the probe never began */
static uint32_t isolates;               /* atomic: shown to us so far */

/* State of one thread, which only that thread writes. */
static __thread struct {
    void *isolate;       /* NULL: V8 may not be called */
    uint32_t number;     /* of the isolate */
    uint32_t collecting; /* collections begun and not ended */
    uint64_t collections, full; /* ended */
    bool thorough;              /* the latest full collection was requested */
    uint64_t kept;              /* bytes that this collection left; 0: not known */
    uint64_t calls;             /* of JavaScript, ended */
    uint64_t lost;              /* chains of frame pointers that ended early */
} mine;

/* ---- finding it ---- */

static bool find_functions(void)
{
    bool all = true;

#define FIND(name, result, arguments) all = all && v8_symbol(V8_##name, &v8.name);
    V8_FUNCTIONS(FIND)
#undef FIND
    (void)v8_symbol(V8_text_old, &v8.text_old);
    (void)v8_symbol(V8_text_new, &v8.text_new);
    return v8_find() && all && (v8.text_old || v8.text_new);
}

static bool in_range(const struct range *range, uintptr_t at)
{
    return at >= range->start && at < range->end;
}

static struct range module_of(uintptr_t at)
{
    struct module_place place;

    return module_place_find(at, &place) ? (struct range){place.start, place.end}
                                         : (struct range){0, 0};
}

/* The extent of a function, as its symbol says. */
static void find_allocator(enum v8_symbol which, struct range *out)
{
    void *address = symbol_look(RTLD_DEFAULT, v8_symbol_name(which));
    const Elf64_Sym *symbol = NULL;
    Dl_info info;

    if (!address) {
        (void)dlerror();
        return;
    }
    if (dladdr1(address, &info, (void **)(void *)&symbol, RTLD_DL_SYMENT) && symbol &&
        symbol->st_size > 0)
        *out = (struct range){(uintptr_t)address, (uintptr_t)address + symbol->st_size};
}

static void find_builtins(void *isolate)
{
    void (*code_range)(void *, const void **, size_t *) = NULL;
    const void *start = NULL;
    size_t size = 0;

    if (v8_symbol(V8_code_range, &code_range))
        code_range(isolate, &start, &size);
    builtins = (struct range){(uintptr_t)start, (uintptr_t)start + size};
}

static int note_started(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct range range = {0, 0};

    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum && range.end == 0; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            range = module_of(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (range.end > range.start && started_count < STARTED_MAX)
        started[started_count++] = range;
    return started_count == STARTED_MAX;
}

static bool find_engine(void)
{
    void *isolate = find_functions() ? v8.current() : NULL;

    if (!isolate)
        return false;
    memcpy(&engine.start, &v8.current, sizeof(engine.start));
    engine = module_of(engine.start);
    find_allocator(V8_buffer_allocate, &allocators[0]);
    find_allocator(V8_buffer_allocate_plain, &allocators[1]);
    find_allocator(V8_buffer_reallocate, &allocators[2]);
    find_allocator(V8_pages_allocate, &pages);
    find_builtins(isolate);
    script_text_find();
    (void)dl_iterate_phdr(note_started, NULL);
    return engine.end > 0 && allocators[0].end > 0 && started_count < STARTED_MAX;
}

static bool is_ready(void)
{
    uint32_t now = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);

    if (now == 0 && !__atomic_test_and_set(&looking, __ATOMIC_ACQUIRE)) {
        now = find_engine() ? 1 : 2;
        __atomic_store_n(&ready, now, __ATOMIC_RELEASE);
    }
    return now == 1;
}

/* ---- collections ---- */

/* Are all JavaScript calls over? Each call begins with built-in code. */
static bool is_idle(void)
{
    const uintptr_t *at = __builtin_frame_address(0), *last = at;
    struct stack_bounds bounds = {.low = (uintptr_t)at};

    if (!stack_bounds_of_thread(&bounds))
        return false;
    for (; at && !in_range(&builtins, at[1]); at = stack_bounds_outer(&bounds, at))
        last = at;
    return !at && (uintptr_t)last + NEAR_END >= bounds.high;
}

static void collection_begins(void *isolate, int type, int flags, void *data)
{
    (void)flags, (void)data;
    mine.collecting++;
    v8_collection_begins();
    if (type == FULL_COLLECTION && isolate == mine.isolate && on_collection && is_idle())
        on_collection();
}

/* At this moment no young object is counted: some milliseconds later there may be megabytes of them. */
static void collection_ends(void *isolate, int type, int flags, void *data)
{
    uint64_t external, limit;

    (void)data;
    mine.collecting -= mine.collecting > 0;
    mine.collections++;
    if (type != FULL_COLLECTION || isolate != mine.isolate)
        return;
    mine.full++;
    mine.thorough = flags & THOROUGH;
    if (!v8_heap_size(isolate, &mine.kept, &external, &limit))
        mine.kept = 0;
}

static void call_ends(void *isolate)
{
    (void)isolate;
    mine.calls++;
}

void stack_js_on_collection(void (*call)(void))
{
    on_collection = call;
}

bool stack_js_maps(uintptr_t caller)
{
    return __atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 1 && in_range(&pages, caller);
}

void stack_js_enter(void)
{
    void *isolate = !mine.isolate && is_ready() ? v8.current() : NULL;

    if (!isolate)
        return;
    mine.number = __atomic_add_fetch(&isolates, 1, __ATOMIC_RELAXED);
    mine.collecting = 0;
    v8.on_begin(isolate, collection_begins, NULL, COLLECTIONS);
    v8.on_end(isolate, collection_ends, NULL, COLLECTIONS);
    v8.on_call(isolate, call_ends);
    mine.isolate = isolate;
}

void stack_js_leave(void)
{
    if (!mine.isolate)
        return;
    v8.off_begin(mine.isolate, collection_begins, NULL);
    v8.off_end(mine.isolate, collection_ends, NULL);
    v8.off_call(mine.isolate, call_ends);
    mine.isolate = NULL;
}

bool stack_js_is_here(void)
{
    return mine.isolate != NULL;
}

uint32_t stack_js_number(void)
{
    return mine.number;
}

void *stack_js_isolate(void)
{
    return mine.isolate;
}

uint64_t stack_js_calls(void)
{
    return mine.calls;
}

uint64_t stack_js_collections(uint64_t *full)
{
    *full = mine.full;
    return mine.collections;
}

bool stack_js_thorough(void)
{
    return mine.thorough;
}

uint64_t stack_js_kept(void)
{
    return mine.kept;
}

/* Another isolate may be entered on this thread (by an embedder, or none at all): only ours will do. */
bool stack_js_may_ask(void)
{
    return mine.isolate && mine.collecting == 0 && v8.current() == mine.isolate;
}

bool stack_js_holds(uintptr_t address)
{
    return in_range(&engine, address);
}

bool stack_js_evaluates(uintptr_t address)
{
    return in_range(&builtins, address);
}

bool stack_js_heap(uint64_t *used, uint64_t *external, uint64_t *limit)
{
    return stack_js_may_ask() && v8_heap_size(mine.isolate, used, external, limit);
}

bool stack_js_collect(void)
{
    if (!stack_js_may_ask())
        return false;
    v8_collect(mine.isolate);
    return true;
}

/* ---- the key ---- */

static bool was_started(uintptr_t caller)
{
    for (unsigned i = 0; i < started_count; i++)
        if (in_range(&started[i], caller))
            return true;
    return false;
}

/* The C library, or the C++ runtime that `new` belongs to: it allocates for its caller. */
static bool is_runtime(uintptr_t caller)
{
    return was_started(caller) && !in_range(&engine, caller);
}

static bool from_addon(const uintptr_t *frame, const struct stack_bounds *bounds)
{
    const struct stack_start start = {
        .pc = frame[1], .sp = (uintptr_t)frame + 2 * sizeof(*frame), .bp = frame[0]};
    const uintptr_t caller = stack_native_caller(&start, bounds, is_runtime, RUNTIME);

    return caller && !was_started(caller);
}

static bool serves_buffers(uintptr_t caller)
{
    return in_range(&allocators[0], caller) || in_range(&allocators[1], caller) ||
           in_range(&allocators[2], caller);
}

static uint64_t mixed(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * 0x9E3779B97F4A7C15ull;
}

/* Below the frame pointer of an interpreted function lie its context, the function, the number
 * of its arguments, its bytecode, and the offset in the bytecode as a small integer, in the
 * upper half of the word. The bytecode moves only in full collections. Compiled code is
 * recognized by its address. */
static uint64_t with_frame(uint64_t hash, const uintptr_t *frame)
{
    const uintptr_t bytecode = frame[-4], place = frame[-5];

    if ((bytecode & 3) != 1 || (place & UINT32_MAX) != 0 || place >> 32 > BYTECODE_MAX)
        return hash;
    return mixed(mixed(hash, bytecode), place);
}

uint64_t stack_js_key(const void *frame)
{
    const uintptr_t *at = frame ? frame : __builtin_frame_address(0);
    struct stack_bounds bounds = {.low = (uintptr_t)at};
    uint64_t hash = mixed(mine.number, mine.full);
    bool allowed;

    if (!stack_js_may_ask() || !stack_bounds_of_thread(&bounds))
        return 0;
    allowed = !frame || from_addon(at, &bounds);
    for (unsigned i = 0; i < KEY_FRAMES; i++) {
        const uintptr_t caller = at[1], *const outer = stack_bounds_outer(&bounds, at);

        if (i < CALLERS && !allowed)
            allowed = serves_buffers(caller);
        if (i >= CALLERS && !allowed)
            return 0;
        hash = mixed(hash, caller);
        if (!outer)
            break;
        at = outer;
        if (in_range(&builtins, caller)) /* the interpreter is one of them */
            hash = with_frame(hash, at);
    }
    /* A chain that was lost on its way says too little: it gets a new key. */
    if ((uintptr_t)at + NEAR_END < bounds.high)
        hash = mixed(hash, ++mine.lost);
    hash ^= hash >> 29;
    return !allowed ? 0 : hash ? hash : 1;
}

/* ---- the frames ---- */

static size_t copy_text(void *text, char *out, size_t room)
{
    size_t length = 0;

    if (text && v8.text_old)
        length = (size_t)v8.text_old(text, mine.isolate, out, (int)room - 1, NULL, 0);
    else if (text)
        length = v8.text_new(text, mine.isolate, out, room - 1, 0, NULL);
    out[length < room ? length : room - 1] = 0;
    return strlen(out);
}

static uint64_t with_text(uint64_t hash, const char *text)
{
    while (*text)
        hash = mixed(hash, (uint8_t)*text++);
    return hash ^ hash >> 29;
}

static uint32_t unit_of(struct ledger *ledger, void *frame)
{
    const int script = v8.script(frame);
    char name[FUNCTION_BYTES], file[NAME_BYTES];
    const size_t length = copy_text(v8.function(frame), name, sizeof(name));
    const uint64_t hash =
        with_text(mixed((uint64_t)mine.number << 32 | (uint32_t)script, length), name);
    const uint32_t id = script_unit_find(hash);

    if (id)
        return id;
    (void)copy_text(v8.file(frame), file, sizeof(file));
    script_text_meet(ledger, mine.isolate, mine.number, frame, (uint32_t)script, file);
    return script_unit_add(ledger, hash, script, name, file);
}

uint32_t stack_js_unit(struct ledger *ledger, const char *name, const char *file, unsigned *whose)
{
    const uint64_t hash = with_text(with_text(mixed((uint64_t)mine.number << 32, 1), name), file);
    uint32_t id = script_unit_find(hash);

    if (!id) {
        id = script_unit_add(ledger, hash, 0, name, file);
        if (id >> SCRIPT_UNIT_SHIFT & JS_USER)
            script_text_named(file);
    }
    *whose |= id >> SCRIPT_UNIT_SHIFT;
    return id & ((1u << SCRIPT_UNIT_SHIFT) - 1);
}

size_t stack_js_with(size_t (*call)(void *isolate, char *text, size_t room), char *text, size_t room)
{
    _Alignas(16) char handles[HANDLES_BYTES];
    size_t result;

    v8.open_handles(handles, mine.isolate);
    result = call(mine.isolate, text, room);
    v8.close_handles(handles);
    return result;
}

static struct native_frame frame_of(struct ledger *ledger, void *frame, unsigned *whose)
{
    const struct location at = v8.location(frame);
    const uint32_t unit = unit_of(ledger, frame);

    *whose |= unit >> SCRIPT_UNIT_SHIFT;
    return (struct native_frame){.unit = unit & ((1u << SCRIPT_UNIT_SHIFT) - 1),
                                 .offset = (uint64_t)(uint32_t)(at.line + 1) << 32 |
                                           (uint32_t)(at.column + 1)};
}

unsigned stack_js_walk(struct ledger *ledger, struct native_frame *frames, unsigned max,
                       unsigned *whose)
{
    _Alignas(16) char handles[HANDLES_BYTES];
    unsigned count = 0;
    void *stack;

    *whose = 0;
    v8.open_handles(handles, mine.isolate);
    stack = v8.stack(mine.isolate, (int)max, DETAILED);
    if (stack) {
        const int there = v8.frame_count(stack);

        for (; count < max && (int)count < there; count++)
            frames[count] = frame_of(ledger, v8.frame(stack, mine.isolate, count), whose);
    }
    v8.close_handles(handles);
    return count;
}
