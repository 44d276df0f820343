/* retain.h - what holds the objects of a size.
 *
 * The shortest path from a root to each object is computed. The most common kind of path is the
 * answer, and the last object that these paths share is the one that grows.
 */
#ifndef TARE_SNAPSHOT_RETAIN_H
#define TARE_SNAPSHOT_RETAIN_H

#include "snapshot/snapshot.h"

/* Which objects are wanted: young ones of these sizes. */
struct retain_question {
    uint32_t since;       /* their ids are greater; a buffer is as old as the object that owns it */
    uint32_t least, most; /* bytes */
    bool buffers;         /* only memory of ArrayBuffers; false: everything else */
    const char *name;     /* only objects of this class; NULL: any class */
};

/* The path to one of them: edges[i] leads to nodes[i]; edges[0] is SNAPSHOT_NONE. Owned. */
struct retain_way {
    uint32_t *nodes, *edges;
    size_t count;
    size_t shared;           /* nodes at the beginning that all paths share */
    uint64_t objects, bytes; /* held by the same kind of path */
    uint64_t asked_bytes;    /* of all wanted objects */
};

struct retain; /* the paths of one snapshot */

/* Borrows the snapshot for its lifetime. */
int retain_new(struct retain **out, const struct snapshot *snapshot, struct why *why);
void retain_free(struct retain *retain); /* accepts NULL */

/* 1: found. 0: no kind of path leads to a third of their bytes. */
int retain_find(struct retain_way *out, const struct retain *retain,
                const struct retain_question *question, struct why *why);
void retain_way_free(struct retain_way *way);

/* Objects of a given number, held by one kind of path that `accepts`. They are small objects that
 * stand for native memory, whose size the heap does not know. */
struct retain_many {
    uint32_t since; /* their ids are greater */
    uint64_t fewest, most;
    bool (*accept)(const struct retain_way *way, void *data);
    void *data; /* borrowed */
};

/* 1: found, the outermost. 0: there are none, or several that are held independently. */
int retain_find_many(struct retain_way *out, const struct retain *retain,
                     const struct retain_many *question, struct why *why);

#endif /* TARE_SNAPSHOT_RETAIN_H */
