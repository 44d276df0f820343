/* small_count.c - see small_count.h. */
#include "probe/lines/small_count.h"

#include <stddef.h>

#include "probe/python/arenas.h"
#include "probe/python/interpreter.h"
#include "probe/python/python_function.h"

enum known { NOT_ASKED, POSSIBLE, IMPOSSIBLE };

static struct {
    void (*get)(int domain, struct python_allocator *out);
    void (*set)(int domain, struct python_allocator *in);
    void *(*allocate)(size_t size);
    void (*release)(void *block);
} api;

static enum known known;
static unsigned open;                     /* how many have begun; with the lock */
static bool installed;                    /* ours is in place, perhaps under another */
static struct python_allocator below[3];  /* what ours passes on to, by domain */
static __thread struct small_flow flow;

/* ---- the wrapper: the context is the allocator below ---- */

static void *count_malloc(void *ctx, size_t size)
{
    const struct python_allocator *next = ctx;
    void *block = next->malloc(next->ctx, size);

    flow.born += arenas_size(block);
    return block;
}

static void *count_calloc(void *ctx, size_t count, size_t size)
{
    const struct python_allocator *next = ctx;
    void *block = next->calloc(next->ctx, count, size);

    flow.born += arenas_size(block);
    return block;
}

static void *count_realloc(void *ctx, void *block, size_t size)
{
    const struct python_allocator *next = ctx;
    const size_t before = arenas_size(block);
    void *fresh = next->realloc(next->ctx, block, size);

    if (fresh) {
        flow.dead += before;
        flow.born += arenas_size(fresh);
    }
    return fresh;
}

static void count_free(void *ctx, void *block)
{
    const struct python_allocator *next = ctx;

    flow.dead += arenas_size(block);
    next->free(next->ctx, block);
}

/* ---- putting it in place ---- */

static struct python_allocator wrapper(int domain)
{
    return (struct python_allocator){.ctx = &below[domain],
                                     .malloc = count_malloc,
                                     .calloc = count_calloc,
                                     .realloc = count_realloc,
                                     .free = count_free};
}

static bool on_top(int domain)
{
    struct python_allocator now;

    api.get(domain, &now);
    return now.malloc == count_malloc;
}

static void install(void)
{
    for (int domain = PYTHON_MEM; domain <= PYTHON_OBJ; domain++) {
        struct python_allocator ours = wrapper(domain);

        api.get(domain, &below[domain]);
        api.set(domain, &ours);
    }
    installed = true;
}

static void take_out(void)
{
    if (!on_top(PYTHON_MEM) || !on_top(PYTHON_OBJ))
        return;
    for (int domain = PYTHON_MEM; domain <= PYTHON_OBJ; domain++)
        api.set(domain, &below[domain]);
    installed = false;
}

static bool find(void)
{
    return python_function(PYTHON_PyMem_GetAllocator, &api.get) &&
           python_function(PYTHON_PyMem_SetAllocator, &api.set) &&
           python_function(PYTHON_PyObject_Malloc, &api.allocate) &&
           python_function(PYTHON_PyObject_Free, &api.release);
}

bool small_count_possible(void)
{
    if (known == NOT_ASKED)
        known = find() && arenas_learn(api.allocate, api.release) ? POSSIBLE : IMPOSSIBLE;
    return known == POSSIBLE;
}

void small_count_begin(void)
{
    if (open++ == 0 && small_count_possible() && !installed)
        install();
}

void small_count_end(void)
{
    if (open > 0 && --open == 0 && installed)
        take_out();
}

void small_count_forked(void)
{
    open = 0;
}

struct small_flow small_count_of_thread(void)
{
    return flow;
}
