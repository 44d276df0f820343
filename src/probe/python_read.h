/* python_read.h - texts, dictionaries and numbers of the interpreter, read in the copy. */
#ifndef TARE_PROBE_PYTHON_READ_H
#define TARE_PROBE_PYTHON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/graph.h"
#include "probe/python_objects.h"

/* A str in to[size], ended; cut when it is longer. False: this is no str. */
bool python_read_text(const struct graph *graph, uintptr_t text, char *to, size_t size);

/* The value of a key that is this text; 0: none. */
uintptr_t python_read_item(const struct graph *graph, uintptr_t dict, const char *key);

/* Whether this word is a dictionary, a tuple, a str. */
bool python_read_is(const struct graph *graph, uintptr_t object, uint64_t type_flag);

/* A key as it would be written in a program: 'name', 3, None; "" for what cannot be told. */
void python_read_key(const struct graph *graph, uintptr_t key, char *to, size_t size);

/* The name of a type with its module's; static types have it in their name. */
void python_read_type(const struct graph *graph, uintptr_t type, char *to, size_t size);

/* The module that a class says it comes from is one of the program's own. */
bool python_read_is_users(const struct graph *graph, uintptr_t type);
/* The root that is this class's module; NULL: none. */
const struct root *python_read_module(const struct graph *graph, uintptr_t type);

/* The source of a module. The main one loses its __file__ when it has run; its loader knows it. */
bool python_read_file(const struct graph *graph, const struct root *module, char *to, size_t size);

#endif /* TARE_PROBE_PYTHON_READ_H */
