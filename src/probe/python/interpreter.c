/* interpreter.c - see interpreter.h. */
#include "probe/python/interpreter.h"

#include <string.h>

#include "probe/core/symbol.h"
#include "probe/core/thread.h"
#include "probe/python/python_function.h"

typedef void object; /* PyObject */

static struct {
    void *(*this_interpreter)(void);
    void *(*main_interpreter)(void);
    const char *(*version)(void);
    object *(*sys_object)(const char *name);
    object *(*import)(const char *name);
    object *(*attribute)(object *of, const char *name);
    object *(*call)(object *function, object *arguments);
    object *(*list_item)(object *list, long index);
    object *(*tuple_item)(object *tuple, long index);
    object *(*dict_item)(object *dict, const char *key);
    long long (*number)(object *from);
    void (*keep)(object *one);
    void (*drop)(object *one);
    void (*forget_error)(void);
    void (*get_allocator)(int domain, struct python_allocator *out);
    void (*set_allocator)(int domain, struct python_allocator *in);
    void *(*object_malloc)(size_t size);
    void (*object_free)(void *block);
    long (*collect)(void);
} api;

static struct { /* of 3.10 and later */
    int (*enable)(void), (*disable)(void), (*is_enabled)(void);
} collector;

static struct {
    void *(*thread_head)(void *interpreter), *(*next)(void *thread);
    bool frees_state; /* it frees the state of the main interpreter at its end: before 3.11 */
} threads;

static bool found;                                  /* everything in `api` is there */
/* Python functions; NULL: not asked for yet. */
static object *count_blocks, *get_stats, *threshold, *is_enabled, *collect_all;

#define FIND(name, field) python_function(PYTHON_##name, &api.field)

static bool find_all(void)
{
    return FIND(PyInterpreterState_Get, this_interpreter) &&
           FIND(PyInterpreterState_Main, main_interpreter) && FIND(Py_GetVersion, version) &&
           FIND(PySys_GetObject, sys_object) && FIND(PyImport_ImportModule, import) &&
           FIND(PyObject_GetAttrString, attribute) && FIND(PyObject_CallObject, call) &&
           FIND(PyList_GetItem, list_item) && FIND(PyTuple_GetItem, tuple_item) &&
           FIND(PyDict_GetItemString, dict_item) && FIND(PyLong_AsLongLong, number) &&
           FIND(Py_IncRef, keep) && FIND(Py_DecRef, drop) &&
           FIND(PyErr_Clear, forget_error) && FIND(PyMem_GetAllocator, get_allocator) &&
           FIND(PyMem_SetAllocator, set_allocator) && FIND(PyObject_Malloc, object_malloc) &&
           FIND(PyObject_Free, object_free);
}

void interpreter_find(void)
{
    (void)FIND(PyGC_Collect, collect);
    (void)python_function(PYTHON_PyGC_Enable, &collector.enable);
    (void)python_function(PYTHON_PyGC_Disable, &collector.disable);
    (void)python_function(PYTHON_PyGC_IsEnabled, &collector.is_enabled);
    (void)python_function(PYTHON_PyInterpreterState_ThreadHead, &threads.thread_head);
    (void)python_function(PYTHON_PyThreadState_Next, &threads.next);
    threads.frees_state = symbol_look(RTLD_DEFAULT, "Py_Version") == NULL; /* new in 3.11 */
    if (threads.frees_state)
        (void)dlerror();
    found = find_all() && strstr(api.version(), "free-threading") == NULL;
}

bool interpreter_usable(void)
{
    return found && api.this_interpreter() == api.main_interpreter();
}

bool interpreter_must_end_soon(void)
{
    const bool can_look = found && threads.frees_state && threads.thread_head && threads.next;
    void *first = can_look ? threads.thread_head(api.this_interpreter()) : NULL;

    return first && threads.next(first) != NULL;
}

/* Something was not as expected: none of this is used again. */
static bool give_up(void)
{
    api.forget_error();
    found = false;
    return false;
}

/* Functions are kept: the program may put others in their place, and they are ours to call. */
static bool meet(void)
{
    object *door, *gc;

    if (collect_all)
        return true;
    count_blocks = api.sys_object("getallocatedblocks");
    door = count_blocks ? api.import("_tare._probe") : NULL; /* the adapter, which is there */
    gc = door ? api.attribute(door, "gc") : NULL;
    if (door)
        api.drop(door);
    if (!gc)
        return give_up();
    api.keep(count_blocks);
    get_stats = api.attribute(gc, "get_stats");
    threshold = api.attribute(gc, "get_threshold");
    is_enabled = api.attribute(gc, "isenabled");
    collect_all = api.attribute(gc, "collect");
    api.drop(gc);
    return (get_stats && threshold && is_enabled && collect_all) || give_up();
}

/* The number that a function without arguments returns; -1: it failed. */
static long long number_from(object *function)
{
    object *value = api.call(function, NULL);
    const long long number = value ? api.number(value) : -1;

    if (value)
        api.drop(value);
    else
        api.forget_error();
    return number;
}

/* A number of the dictionary at this place of the list; 0: there is none. */
static uint64_t stat_of(object *list, long index)
{
    object *dict = api.list_item(list, index);
    object *value = dict ? api.dict_item(dict, "collections") : NULL;
    const long long number = value ? api.number(value) : 0;

    return number > 0 ? (uint64_t)number : 0;
}

static bool read_stats(struct python_counts *out)
{
    object *list = api.call(get_stats, NULL);

    if (!list)
        return give_up();
    out->full = stat_of(list, 2);
    out->collections = stat_of(list, 0) + stat_of(list, 1) + out->full;
    api.drop(list);
    api.forget_error();
    return true;
}

bool interpreter_counts(struct python_counts *out)
{
    long long blocks;

    if (!interpreter_usable() || !meet())
        return false;
    blocks = number_from(count_blocks);
    if (blocks < 0)
        return give_up();
    out->blocks = (uint64_t)blocks;
    return read_stats(out);
}

bool interpreter_collector(struct python_collector *out)
{
    object *tuple;
    long long first;

    if (!interpreter_usable() || !meet())
        return false;
    tuple = api.call(threshold, NULL);
    if (!tuple)
        return give_up();
    first = api.number(api.tuple_item(tuple, 0));
    api.drop(tuple);
    if (first < 0)
        return give_up();
    out->threshold = (uint64_t)first;
    out->enabled = number_from(is_enabled) != 0;
    return true;
}

/* The function of the C interface does nothing while the collector is switched off. */
static long collect_by_c(void)
{
    bool disabled;
    long unreachable;

    if (!api.collect)
        return -1;
    disabled = collector.is_enabled && collector.enable && collector.disable &&
               collector.is_enabled() == 0;
    if (disabled)
        (void)collector.enable();
    unreachable = api.collect();
    if (disabled)
        (void)collector.disable();
    return unreachable < 0 ? 0 : unreachable;
}

long interpreter_collect(void)
{
    if (!interpreter_usable() || !meet())
        return collect_by_c();
    return (long)number_from(collect_all);
}

bool interpreter_get_allocator(enum python_domain domain, struct python_allocator *out)
{
    if (!found)
        return false;
    api.get_allocator((int)domain, out);
    return true;
}

void interpreter_set_allocator(enum python_domain domain, struct python_allocator *in)
{
    api.set_allocator((int)domain, in);
}

void interpreter_try_block(void)
{
    api.object_free(api.object_malloc(1));
}
