/* retain.h - what holds the objects of a size: the shortest way from a root to each object, what most of
 * these ways have in common, and the last object that they share, which is the one that grows.
 */
#ifndef TARE_SNAPSHOT_RETAIN_H
#define TARE_SNAPSHOT_RETAIN_H

#include "snapshot/snapshot.h"

/* Which objects: the young ones of these sizes. */
struct retain_question {
    uint32_t since;       /* of a greater id; a buffer is as old as the object that shows it */
    uint32_t least, most; /* bytes */
    bool buffers;         /* memory of ArrayBuffers alone; else anything else */
    const char *name;     /* objects of this class alone; NULL: of any */
};

/* The way to one of them; edges[i] leads to nodes[i], edges[0] is SNAPSHOT_NONE. Owned. */
struct retain_way {
    uint32_t *nodes, *edges;
    size_t count;
    size_t shared;           /* nodes that the ways to all of them begin with */
    uint64_t objects, bytes; /* that are held in the same way */
    uint64_t asked_bytes;    /* of all that were asked for */
};

struct retain; /* the ways of one snapshot */

/* Borrows the snapshot for its lifetime. */
int retain_new(struct retain **out, const struct snapshot *snapshot, struct why *why);
void retain_free(struct retain *retain); /* accepts NULL */

/* 1: found. 0: no one way leads to a third of their bytes or more. */
int retain_find(struct retain_way *out, const struct retain *retain,
                const struct retain_question *question, struct why *why);
void retain_way_free(struct retain_way *way);

/* Objects of which there are so many, held in one way that is accepted: small ones behind each of which
 * native memory lies, whose size the heap does not tell. */
struct retain_many {
    uint32_t since; /* of a greater id */
    uint64_t fewest, most;
    bool (*accept)(const struct retain_way *way, void *data);
    void *data; /* borrowed */
};

/* 1: found, the outermost. 0: there are none, or several that are held apart from each other. */
int retain_find_many(struct retain_way *out, const struct retain *retain,
                     const struct retain_many *question, struct why *why);

#endif /* TARE_SNAPSHOT_RETAIN_H */
