/* python_objects.h - which words are Python objects, and what an object refers to; child only.
 *
 * A word is believed to be an object when its type is one: an object whose own type leads, by
 * types, to `type`. The type's own traverse function, which the collector also calls, shows what an
 * object refers to: it is plain C that only reads. Then the object's memory is read for pointers
 * into the heap that this function does not show: tables of items, tensors, buffers. No Python code
 * ever runs, and no reference count changes.
 */
#ifndef TARE_PROBE_PYTHON_OBJECTS_H
#define TARE_PROBE_PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/python/python_view.h"
#include "probe/search/graph.h"

/* What is known of a word that was examined as a type. */
enum {
    IS_TYPE = 1,
    IS_NO_TYPE = 2,
    IS_WEAK = 4,
    IS_FOREIGN = 8,
    IS_SETTLED = 16,
    IS_TABLE = 32,
    IS_BOUNDABLE = 64 /* an object of it may have a declared bound */
};

struct python_verdict {
    uintptr_t type;
    uint32_t known;
};

/* Kept for the type until another one needs its place. */
struct python_verdict *python_objects_verdict(const struct graph *graph, uintptr_t type);

bool python_objects_init(void); /* false: no memory */

/* For references that come from the interpreter itself. */
bool python_objects_is(const struct graph *graph, uintptr_t address);
/* For words that may be anything: an object of a collected type must be known to the collector. */
bool python_objects_found(const struct graph *graph, uintptr_t address);

/* The object that this block was made for, after the heads that collector and attributes need. */
uintptr_t python_objects_in(const struct graph *graph, uintptr_t start, uintptr_t end); /* 0: none */

/* Whether the object's type is this one or derived from it. */
bool python_objects_of(const struct graph *graph, uintptr_t object, uintptr_t type);
bool python_objects_named(uintptr_t object, const char *type); /* the same by the type's own name */

static inline uintptr_t python_objects_type(uintptr_t object)
{
    return graph_word(object + PYTHON_TYPE);
}

static inline uint64_t python_objects_flags(uintptr_t object) /* of its type */
{
    return graph_word(python_objects_type(object) + TYPE_FLAGS);
}

/* The memory that is its own: its fixed part, and attributes that lie after it (3.13). */
uintptr_t python_objects_size(const struct graph *graph, uintptr_t object);

#endif /* TARE_PROBE_PYTHON_OBJECTS_H */
