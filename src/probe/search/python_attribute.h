/* python_attribute.h - attributes of Python objects by where they lie; child only. */
#ifndef TARE_PROBE_PYTHON_ATTRIBUTE_H
#define TARE_PROBE_PYTHON_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/search/graph.h"

/* Whether `dict` holds the attributes of `object`: its own __dict__, or a class's. */
bool python_attribute_is_dict(const struct graph *graph, uintptr_t object, uintptr_t dict);

/* An attribute that lies in the object itself: a slot, a member of a type in C, a value that has no
 * dictionary (3.11 and later). What has no name is a part. */
void python_attribute_name(const struct graph *graph, uintptr_t object, uintptr_t value,
                           struct search_owner *step);

/* The value of an attribute of this name, with or without a dictionary; 0: none. */
uintptr_t python_attribute_value(const struct graph *graph, uintptr_t object, const char *name);

/* The source file of a module. The main module loses its __file__ when it has run; its loader
 * knows it. */
bool python_attribute_file(const struct graph *graph, const struct root *module, char *to, size_t size);

#endif /* TARE_PROBE_PYTHON_ATTRIBUTE_H */
