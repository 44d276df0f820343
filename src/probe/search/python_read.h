/* python_read.h - texts, dictionaries and numbers of the interpreter, read in the copy. */
#ifndef TARE_PROBE_PYTHON_READ_H
#define TARE_PROBE_PYTHON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/search/graph.h"
#include "probe/search/python_objects.h"

/* Copies a str to to[size], with an end; cut when it is longer. False: this is not a str. */
bool python_read_text(const struct graph *graph, uintptr_t text, char *to, size_t size);

/* The value of a key that is this text; 0: none. */
uintptr_t python_read_item(const struct graph *graph, uintptr_t dict, const char *key);

/* Whether this word is a dictionary, a tuple, a str. */
bool python_read_is(const struct graph *graph, uintptr_t object, uint64_t type_flag);

/* A key as it would be written in a program: 'name', 3, None; "" if it has no such form. */
void python_read_key(const struct graph *graph, uintptr_t key, char *to, size_t size);

/* The name of a type with its module's; static types have it in their name. */
void python_read_type(const struct graph *graph, uintptr_t type, char *to, size_t size);

/* Does this class say that its module is one of the program's own? */
bool python_read_is_users(const struct graph *graph, uintptr_t type);
/* The root that is this class's module; NULL: none. */
const struct root *python_read_module(const struct graph *graph, uintptr_t type);

#endif /* TARE_PROBE_PYTHON_READ_H */
