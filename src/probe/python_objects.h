/* python_objects.h - which words are Python objects, and what an object refers to; child only.
 *
 * An object is believed when its type is one: an object whose own type leads, by types, to `type`.
 * What it refers to is asked of its type's own traverse function, which is what the collector calls:
 * plain C that only reads. Its memory is then read for pointers into the heap, which that function
 * does not show: tables of items, tensors, buffers. No Python code ever runs, nothing is counted.
 */
#ifndef TARE_PROBE_PYTHON_OBJECTS_H
#define TARE_PROBE_PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/graph.h"
#include "probe/python_view.h"

bool python_objects_init(void); /* false: no memory */

/* For references that the interpreter vouches for. */
bool python_objects_is(const struct graph *graph, uintptr_t address);
/* For words that nobody vouches for: what the collector can know, it must know. */
bool python_objects_found(const struct graph *graph, uintptr_t address);

/* The object that this block was made for, behind the heads that collector and attributes need. */
uintptr_t python_objects_in(const struct graph *graph, uintptr_t start, uintptr_t end); /* 0: none */

void python_objects_expand(struct graph *graph, thing object);

/* Objects that others have in their own memory without telling the collector, such as the text that a
 * StringIO has been given: for all that were reached so far, and to the end of what that leads to. */
void python_objects_look_inside(struct graph *graph);

/* Blocks whose address an int has that was reached: a library gives its handles to Python as numbers. */
void python_objects_take_numbers(struct graph *graph);

/* Containers with a declared bound lead on, after everything else that is an object has. */
void python_objects_open_bounded(struct graph *graph);

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

/* The memory that is its own: its fixed part, and attributes that lie behind it (3.13). */
uintptr_t python_objects_size(const struct graph *graph, uintptr_t object);

#endif /* TARE_PROBE_PYTHON_OBJECTS_H */
