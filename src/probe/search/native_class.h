/* native_class.h - the C++ class of a block, by the type information that its first word leads to. */
#ifndef TARE_PROBE_NATIVE_CLASS_H
#define TARE_PROBE_NATIVE_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/search/nodes.h"

struct native_class {
    char name[96];
    bool autograd; /* derived from torch's node of a graph of gradients */
    bool holds_nothing; /* a framework's class that holds nothing: an allocator */
    bool hub; /* a class that knows all that its framework has made: a context */
};

/* False: it has no class, or is not a C++ object. */
bool native_class_of(const struct nodes *nodes, const struct pages *pages, uintptr_t start,
                     uintptr_t end, struct native_class *out);

#endif /* TARE_PROBE_NATIVE_CLASS_H */
