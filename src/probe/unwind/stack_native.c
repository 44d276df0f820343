/* stack_native.c - see the header.
 *
 * A pc that was reached by unwind tables alone is truly on our stack, so its module is there to stay
 * and is read directly. After the first step by frame pointer that is only likely: from then on a new
 * address must follow a call instruction, and it and the tables of its module are read by copy.
 */
#include "probe/unwind/stack_native.h"

#include <string.h>

#include "probe/core/self_memory.h"
#include "probe/unwind/modules.h"

#define WINDOW_BYTES 16384
#define WINDOWS 8
#define CALL_BYTES 7 /* the longest call instruction without useless prefixes */

struct walk {
    uintptr_t pc, sp, bp;
    uintptr_t low, high; /* addresses that may be read */
    uintptr_t shift;     /* from an address to where it is read: into the copy, or 0 */
    uint32_t generation;
    bool pinned;
};

struct window {
    bool taken; /* atomic */
    uint64_t words[WINDOW_BYTES / 8];
};

static struct row_cache cache;
static uint32_t cache_epoch; /* atomic: the generations that all fit the cache's 14 bits */
static struct window windows[WINDOWS]; /* not on the stack: that of a coroutine may be small */

void stack_native_setup(void)
{
    stack_bounds_init();
}

void stack_native_forked(void)
{
    for (unsigned i = 0; i < WINDOWS; i++)
        __atomic_clear(&windows[i].taken, __ATOMIC_RELEASE);
}

/* ---- addresses ---- */

/* The bytes before an address; zeros for those in a page before it that cannot be read. */
static bool code_before(uintptr_t pc, uint8_t *code)
{
    const uintptr_t page = (pc - 1) & ~4095ul;
    const uintptr_t skip = pc - CALL_BYTES < page ? page - (pc - CALL_BYTES) : 0;

    memset(code, 0, CALL_BYTES);
    return self_copy(code, pc - CALL_BYTES, CALL_BYTES) ||
           (skip && self_copy(code + skip, page, CALL_BYTES - skip));
}

/* Whether the instruction before this address is a call: e8 and 4 bytes, or ff /2 and its operand. */
static bool follows_call(uintptr_t pc)
{
    uint8_t code[CALL_BYTES];

    if (pc < 65536 || pc >> 47 != 0 || !code_before(pc, code))
        return false;
    if (code[CALL_BYTES - 5] == 0xe8)
        return true;
    for (unsigned size = 2; size <= CALL_BYTES; size++)
        if (code[CALL_BYTES - size] == 0xff && (code[CALL_BYTES - size + 1] & 0x38) == 0x10)
            return true;
    return false;
}

static void fill_row(struct row *row, enum eh_found found, const struct eh_row *from)
{
    static const enum row_kind kinds[] = {[EH_CFA_SP] = ROW_TABLE_SP,
                                          [EH_CFA_BP] = ROW_TABLE_BP,
                                          [EH_CFA_AT_BP] = ROW_TABLE_AT_BP};

    if (found == EH_OUTERMOST)
        row->kind = ROW_OUTERMOST;
    else if (found == EH_SIGNAL)
        row->kind = ROW_SIGNAL;
    if (found != EH_ROW)
        return;
    row->kind = kinds[from->cfa];
    row->bp = from->bp;
    row->cfa_offset = from->cfa_offset;
    row->bp_offset = from->bp == EH_BP_SAME || from->bp == EH_BP_LOST ? 0 : from->bp_offset;
}

/* The first instruction of a function that was not called: the code that made this stack put it
 * there. */
static bool begins_stack(const struct module_view *view, uintptr_t pc)
{
    struct eh_row row;

    return eh_frame_find(&view->memory, view->header, pc, &row) != EH_NONE && !follows_call(pc);
}

static void find_in_tables(const struct module_view *view, uintptr_t pc, struct row *row)
{
    struct eh_row from;
    enum eh_found found = eh_frame_find(&view->memory, view->header, pc - 1, &from);

    if (found == EH_NONE && begins_stack(view, pc))
        found = EH_OUTERMOST;
    fill_row(row, found, &from);
}

/* An address seen for the first time. ROW_NONE: it is not a return address, or that is not
 * known. */
__attribute__((noinline)) static void find_row(const struct walk *walk, struct row *row)
{
    struct module_view view;
    const bool known = modules_find(walk->pc - 1, walk->pinned, &view);

    *row = (struct row){.kind = ROW_NONE};
    if ((!known || !walk->pinned) && !follows_call(walk->pc))
        return;
    *row = (struct row){.kind = ROW_FRAME_POINTER,
                        .cfa_offset = 16,
                        .bp = EH_BP_AT_CFA,
                        .bp_offset = -16};
    if (known) {
        row->module = view.number;
        if (view.header)
            find_in_tables(&view, walk->pc, row);
    }
    if (!known || view.number)
        row_cache_put(&cache, walk->pc, row, walk->generation);
}

/* By value, so that a warm walk stays in registers: only the cold path needs addresses. */
static inline struct row row_of(struct walk walk)
{
    const uint64_t value = row_cache_get(&cache, walk.pc, walk.generation);
    struct row row;

    if (__builtin_expect(value != 0, 1))
        return row_unpack(value);
    find_row(&walk, &row);
    return row;
}

static struct native_frame frame_of(const struct walk *walk, unsigned module)
{
    const struct module_face *face = &modules_faces[module];
    const uint32_t unit = __atomic_load_n(&face->unit, __ATOMIC_RELAXED);

    return (struct native_frame){.unit = unit, .offset = unit ? walk->pc - face->base : walk->pc};
}

/* ---- steps ---- */

static inline bool load(const struct walk *walk, uintptr_t address, uintptr_t *word)
{
    if (address < walk->low || address >= walk->high || address & 7)
        return false;
    *word = *(const uintptr_t *)(address + walk->shift);
    return true;
}

static inline bool find_cfa(const struct walk *walk, const struct row *row, uintptr_t *cfa)
{
    const uintptr_t offset = (uintptr_t)(intptr_t)row->cfa_offset;

    switch (row->kind) {
    case ROW_TABLE_SP:
        *cfa = walk->sp + offset;
        return true;
    case ROW_FRAME_POINTER:
    case ROW_TABLE_BP:
        *cfa = walk->bp + offset;
        return row->kind == ROW_TABLE_BP || walk->bp >= walk->sp;
    case ROW_TABLE_AT_BP:
        return load(walk, walk->bp + offset, cfa);
    default:
        return false;
    }
}

/* To the caller. False: there is no way to it. */
static inline bool step(struct walk *walk, const struct row *row)
{
    uintptr_t cfa, pc, bp = walk->bp;
    const uintptr_t offset = (uintptr_t)(intptr_t)row->bp_offset;

    if (!find_cfa(walk, row, &cfa) || cfa <= walk->sp || !load(walk, cfa - 8, &pc))
        return false;
    if (row->bp == EH_BP_LOST || (row->bp == EH_BP_AT_CFA && !load(walk, cfa + offset, &bp)) ||
        (row->bp == EH_BP_AT_BP && !load(walk, walk->bp + offset, &bp)))
        bp = 0;
    walk->pinned &= row->kind != ROW_FRAME_POINTER;
    walk->pc = pc;
    walk->sp = cfa;
    walk->bp = bp;
    return true;
}

static unsigned follow(const struct walk *start, struct native_frame *frames, unsigned max,
                       bool *complete)
{
    struct walk walk = *start;
    unsigned found = 0;
    bool end = false;

    while (found < max && !end) {
        const struct row row = row_of(walk);

        /* The hook was called from the first, whatever it is. */
        if (row.kind == ROW_NONE && found > 0)
            break;
        frames[found++] = frame_of(&walk, row.module);
        end = row.kind == ROW_OUTERMOST;
        if (!end && !step(&walk, &row))
            break;
        end |= walk.pc == 0;
    }
    *complete = end;
    return found;
}

/* ---- unknown stacks ---- */

static struct window *take_window(void)
{
    for (unsigned i = 0; i < WINDOWS; i++)
        if (!__atomic_test_and_set(&windows[i].taken, __ATOMIC_ACQUIRE))
            return &windows[i];
    return NULL;
}

/* Without a copy, or the available part of one, the bounds are empty and no step is made. */
static unsigned follow_copy(struct walk *walk, struct native_frame *frames, unsigned max,
                            bool *complete)
{
    struct window *window = walk->sp & 7 ? NULL : take_window();
    unsigned found;

    if (window) {
        const size_t size = self_copy_some(window->words, walk->sp, WINDOW_BYTES);

        walk->low = walk->sp;
        walk->high = walk->sp + (size & ~(size_t)7);
        walk->shift = (uintptr_t)window->words - walk->sp;
    }
    found = follow(walk, frames, max, complete);
    if (window)
        __atomic_clear(&window->taken, __ATOMIC_RELEASE);
    return found;
}

/* ---- the walk ---- */

/* Values of older generations would look valid again once the cache's few bits come round. */
static void clear_when_wrapped(uint32_t generation)
{
    const uint32_t epoch = generation / ROW_GENERATIONS;

    if (__atomic_load_n(&cache_epoch, __ATOMIC_RELAXED) != epoch) {
        row_cache_clear(&cache);
        __atomic_store_n(&cache_epoch, epoch, __ATOMIC_RELAXED);
    }
}

static struct walk begun(const struct stack_start *start, const struct stack_bounds *bounds)
{
    struct walk walk = {.pc = start->pc,
                        .sp = start->sp,
                        .bp = start->bp,
                        .generation = modules_generation(),
                        .pinned = true};

    if (walk.generation > 0)
        clear_when_wrapped(walk.generation);
    if (bounds->high > 0) {
        walk.low = (bounds->low + 7) & ~(uintptr_t)7;
        walk.high = bounds->high & ~(uintptr_t)7;
    }
    return walk;
}

unsigned stack_native_walk(const struct stack_start *start, const struct stack_bounds *bounds,
                           struct native_frame *frames, unsigned max, bool *complete)
{
    struct walk walk = begun(start, bounds);

    *complete = false;
    if (walk.generation == 0 || max == 0) {
        if (max > 0)
            frames[0] = frame_of(&walk, 0);
        return max > 0;
    }
    return bounds->high == 0 ? follow_copy(&walk, frames, max, complete)
                             : follow(&walk, frames, max, complete);
}

uintptr_t stack_native_caller(const struct stack_start *start, const struct stack_bounds *bounds,
                              bool (*passes)(uintptr_t pc), unsigned max)
{
    struct walk walk = begun(start, bounds);

    for (unsigned i = 0; i < max && walk.pc; i++) {
        struct row row;

        if (!passes(walk.pc))
            return walk.pc;
        if (walk.generation == 0)
            return 0;
        row = row_of(walk);
        if (row.kind == ROW_NONE || row.kind == ROW_OUTERMOST || !step(&walk, &row))
            return 0;
    }
    return 0;
}

unsigned stack_native_choose(const struct stack_start *start, const struct stack_bounds *bounds,
                             enum native_choice (*choose)(uintptr_t pc, void *context), void *context,
                             struct native_frame *frames, unsigned max)
{
    struct walk walk = begun(start, bounds);
    unsigned found = 0;

    while (found < max && walk.pc && walk.generation > 0) {
        const enum native_choice choice = choose(walk.pc, context);
        struct row row;

        if (choice == NATIVE_END)
            break;
        row = row_of(walk);
        if (choice == NATIVE_TAKE && row.kind != ROW_NONE)
            frames[found++] = frame_of(&walk, row.module);
        if (row.kind == ROW_NONE || row.kind == ROW_OUTERMOST || !step(&walk, &row))
            break;
    }
    return found;
}
