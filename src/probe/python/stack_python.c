/* stack_python.c - see stack_python.h.
 *
 * Why this is safe without the interpreter's lock: a thread's chain of frames is changed by that
 * thread alone, each frame holds a reference to its code object, and what the walk reads of a code
 * object never changes while it runs. PyGILState_GetThisThreadState gives the thread's own state, also
 * while it has released the lock. It is not asked once the interpreter has begun to end, because then
 * the states of other threads are freed under them: Py_IsInitialized is false from before that.
 */
#include "probe/python/stack_python.h"

#include <stdio.h>

#include "probe/core/state.h"
#include "probe/python/python_selftest.h"
#include "probe/unwind/module_place.h"
#include "probe/unwind/modules.h"

#define EVALUATE_LEAST 4096 /* bytes of a function that has all of Python's instructions in it */

enum trust {
    TRUST_ABSENT,  /* no interpreter so far */
    TRUST_NEW,     /* found, to be tested */
    TRUST_TESTING, /* by another thread */
    TRUST_GIVEN,
    TRUST_REFUSED,
};

static uint32_t trust;         /* atomic: enum trust; released by settle, acquired by the walk */
static struct python python;   /* complete before `trust` leaves TRUST_ABSENT */
static void *(*this_state)(void);
static int (*is_initialized)(void);
static struct module_place home; /* where the interpreter lies */
static uintptr_t late;         /* start of the module that was loaded later; 0: there from the start */
static uint32_t unloading;     /* atomic: threads inside dlclose */
static const char *refusal;    /* why, when refused */
static bool noted;             /* atomic: the ledger says so */

/* ---- finding it ---- */

static void settle(const char *problem)
{
    refusal = problem;
    __atomic_store_n(&trust, problem ? TRUST_REFUSED : TRUST_NEW, __ATOMIC_RELEASE);
}

static void meet(const struct python_symbols *symbols)
{
    python_code_meet();
    python.symbols = *symbols;
    memcpy(&this_state, &symbols->this_state, sizeof(this_state));
    memcpy(&is_initialized, &symbols->is_initialized, sizeof(is_initialized));
    python.version = python_version(symbols);
    if (!module_place_find(symbols->this_state, &home))
        home.start = home.end = 0;
    settle(python_offsets_of(symbols, python.version, &python.offsets));
}

static bool named_python(const char *path, size_t length)
{
    static const char name[] = "/libpython";

    return memmem(path, length, name, sizeof(name) - 1) != NULL;
}

/* An interpreter that was loaded later shows itself on the native stacks of its allocations. */
static void look_at_module(uintptr_t start, uintptr_t base, const char *path, size_t length)
{
    struct python_symbols symbols;

    if (__atomic_load_n(&trust, __ATOMIC_ACQUIRE) != TRUST_ABSENT ||
        !named_python(path, length) || !python_find_in(start, base, &symbols))
        return;
    late = start;
    meet(&symbols);
}

void stack_python_setup(void)
{
    struct python_symbols symbols;

    if (python_find(&symbols))
        meet(&symbols);
    else
        modules_on_seen(look_at_module);
}

void stack_python_unloading(void)
{
    (void)__atomic_add_fetch(&unloading, 1, __ATOMIC_ACQ_REL);
}

void stack_python_unloaded(void)
{
    struct module_place place;

    if (late && (!module_place_find(python.symbols.code_type, &place) || place.start != late)) {
        late = 0;
        __atomic_store_n(&trust, TRUST_ABSENT, __ATOMIC_RELEASE);
    }
    (void)__atomic_sub_fetch(&unloading, 1, __ATOMIC_ACQ_REL);
}

void stack_python_forked(void)
{
    unloading = 0;
    noted = false;
    if (trust == TRUST_TESTING)
        trust = TRUST_NEW;
}

/* ---- trust ---- */

static void say_refusal(struct ledger *ledger)
{
    char text[200];

    if (__atomic_exchange_n(&noted, true, __ATOMIC_ACQ_REL))
        return;
    (void)snprintf(text, sizeof(text),
                   "Python %u.%u.%u %s: its memory is shown with native lines only",
                   python.version >> 24, python.version >> 16 & 0xff, python.version >> 8 & 0xff,
                   refusal);
    ledger_note(ledger, state_ordinal(), text);
}

/* Tests once, when there is something to test. */
static bool earn_trust(uintptr_t state)
{
    uint32_t seen = TRUST_NEW;
    enum selftest answer;

    if (!__atomic_compare_exchange_n(&trust, &seen, TRUST_TESTING, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return seen == TRUST_GIVEN;
    answer = python_selftest(&python, state);
    refusal = "has frames of an unknown form";
    __atomic_store_n(&trust,
                     answer == SELFTEST_PASSED   ? TRUST_GIVEN
                     : answer == SELFTEST_FAILED ? TRUST_REFUSED
                                                 : TRUST_NEW,
                     __ATOMIC_RELEASE);
    return answer == SELFTEST_PASSED;
}

/* ---- walking ---- */

/* Frames that the interpreter puts between those of the program; the chain continues after them. */
static bool is_shim(uintptr_t frame)
{
    const unsigned owner = python.offsets.frame_owner;

    return owner != PYTHON_ABSENT && *(const int8_t *)(frame + owner) >= 3;
}

static uintptr_t innermost(uintptr_t state)
{
    const uintptr_t frame = python_word(state + python.offsets.state_frame);

    if (python.offsets.holder_frame == PYTHON_ABSENT || !frame)
        return frame;
    return python_word(frame + python.offsets.holder_frame);
}

/* From the innermost frame on: the first HEAD are kept, and after them the latest, in turn. */
struct kept {
    struct python_frame *frames;
    unsigned max, head; /* room, and how many of the innermost are never given up */
    unsigned count;     /* of all that were met */
};

static void keep(struct kept *kept, const struct python_frame *frame)
{
    const unsigned tail = kept->max - kept->head, at = kept->count++;

    kept->frames[at < kept->max ? at : kept->head + (at - kept->head) % tail] = *frame;
}

static void reverse(struct python_frame *first, struct python_frame *last)
{
    for (; first < last; first++, last--) {
        const struct python_frame one = *first;

        *first = *last;
        *last = one;
    }
}

/* The latest in their order: a turned part is put right by three reversals. */
static unsigned settle_kept(const struct kept *kept)
{
    const unsigned tail = kept->max - kept->head;
    struct python_frame *first = kept->frames + kept->head, *last = first + tail - 1;
    const unsigned turned = kept->count > kept->max ? (kept->count - kept->head) % tail : 0;

    if (kept->count <= kept->max)
        return kept->count;
    reverse(first, first + turned - 1);
    reverse(first + turned, last);
    reverse(first, last);
    return kept->max;
}

/* Of a stack that is deeper than `max` the middle is left out: at its inner end is what was done, at
 * its outer end the program's own code, and between them a framework. Of one without end, a
 * recursion, the inner end alone is given. */
static unsigned walk(uintptr_t state, struct python_frame *frames, unsigned max)
{
    const struct python_offsets *offsets = &python.offsets;
    struct kept kept = {.frames = frames, .max = max, .head = max - max * 2 / 5};
    uintptr_t frame = innermost(state);

    for (unsigned steps = 0; frame; steps++) {
        /* From 3.14 on the lowest bits say who counts the reference. */
        const uintptr_t code =
            is_shim(frame) ? 0 : python_word(frame + offsets->frame_code) & ~(uintptr_t)3;

        if (steps == 4 * max)
            return kept.count < kept.head ? kept.count : kept.head;
        if (code && python_word(code + PYTHON_TYPE) == python.symbols.code_type) {
            const struct python_frame one = {.code = code,
                                             .mark = python_mark(code, offsets),
                                             .offset = python_position(frame, code, &python.offsets),
                                             .frame = frame};

            keep(&kept, &one);
        }
        frame = python_word(frame + offsets->frame_previous);
    }
    return settle_kept(&kept);
}

bool stack_python_is_here(void)
{
    return __atomic_load_n(&trust, __ATOMIC_ACQUIRE) != TRUST_ABSENT;
}

unsigned stack_python_walk(struct ledger *ledger, struct python_frame *frames, unsigned max)
{
    const uint32_t now = __atomic_load_n(&trust, __ATOMIC_ACQUIRE);
    uintptr_t state;

    if (now == TRUST_ABSENT || (late && __atomic_load_n(&unloading, __ATOMIC_ACQUIRE) != 0))
        return 0;
    if (now == TRUST_REFUSED) {
        if (!__atomic_load_n(&noted, __ATOMIC_RELAXED))
            say_refusal(ledger);
        return 0;
    }
    state = is_initialized() ? (uintptr_t)this_state() : 0;
    if (!state || (now != TRUST_GIVEN && !earn_trust(state)))
        return 0;
    return walk(state, frames, max);
}

bool stack_python_holds(uintptr_t address)
{
    return stack_python_is_here() && address >= home.start && address < home.end;
}

/* Where the function is small, an interpreter of many functions that jump to each other: it may be any. */
bool stack_python_evaluates(uintptr_t address)
{
    return stack_python_holds(address) &&
           (python.symbols.evaluate_size < EVALUATE_LEAST ||
            address - python.symbols.evaluate < python.symbols.evaluate_size);
}

uintptr_t stack_python_innermost(void)
{
    uintptr_t state;

    if (__atomic_load_n(&trust, __ATOMIC_ACQUIRE) != TRUST_GIVEN || late || !is_initialized())
        return 0;
    state = (uintptr_t)this_state();
    return state ? innermost(state) : 0;
}

const struct python *stack_python_trusted(void)
{
    return __atomic_load_n(&trust, __ATOMIC_ACQUIRE) == TRUST_GIVEN &&
                   !(late && __atomic_load_n(&unloading, __ATOMIC_ACQUIRE) != 0) && is_initialized()
               ? &python
               : NULL;
}

uint32_t stack_python_unit(struct ledger *ledger, const struct python_frame *frame)
{
    return python_code_unit(ledger, &python, frame);
}
