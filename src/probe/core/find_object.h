/* find_object.h - which loaded object holds an address; at start-up only, it may take a lock. */
#ifndef TARE_PROBE_FIND_OBJECT_H
#define TARE_PROBE_FIND_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

struct found_object {
    uintptr_t start, end; /* all of its segments */
    const char *path;     /* valid while the object is loaded; "" for the program itself */
};

bool find_object(const void *address, struct found_object *out);

#endif /* TARE_PROBE_FIND_OBJECT_H */
