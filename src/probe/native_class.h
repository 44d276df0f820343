/* native_class.h - the C++ class of a block, by the type information that its first word leads to. */
#ifndef TARE_PROBE_NATIVE_CLASS_H
#define TARE_PROBE_NATIVE_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/graph.h"

struct native_class {
    char name[96];
    bool autograd; /* derived from torch's node of a graph of gradients */
    bool holds_nothing; /* of TensorFlow, JAX or what they share: an allocator, a weak reference, … */
    bool hub; /* the same of a context, device, client …: it knows all that its framework has made */
};

/* False: it has none, or is no object of C++. */
bool native_class_of(const struct graph *graph, uintptr_t start, uintptr_t end,
                     struct native_class *out);

#endif /* TARE_PROBE_NATIVE_CLASS_H */
