/* retain_parts.h - what the files of retain share; see retain.h. */
#ifndef TARE_SNAPSHOT_RETAIN_PARTS_H
#define TARE_SNAPSHOT_RETAIN_PARTS_H

#include "snapshot/retain.h"

struct retain {
    const struct snapshot *snapshot; /* borrowed */
    uint32_t *edge, *from; /* of each node: the edge that found it, and from where; NONE: not found */
    uint32_t *depth;
    uint32_t *order; /* nodes as found */
    uint64_t *kind;  /* of the way to it */
    size_t found;
};

/* An object that was asked for. */
struct retain_target {
    uint64_t kind;
    uint32_t node, size;
};

/* Is this a reference that holds, and that a program can see? */
bool retain_is_seen(const struct snapshot *snapshot, uint32_t source, uint32_t edge);

/* The last node that the ways to all of these share, by some of them. */
uint32_t retain_shared(const struct retain *retain, const struct retain_target *first, uint64_t objects);

/* The way to `out->objects` of them, which are of one kind. 0, or ERR_NOMEM. */
int retain_describe(struct retain_way *out, const struct retain *retain, const struct retain_target *first);

/* The best way to these, which are sorted by kind (retain_choose.c); its counts are of all that it holds.
 * 0, or ERR_NOMEM; no node: none leads to enough of them. */
int retain_choose(struct retain_way *out, const struct retain *retain, const struct retain_target *targets,
                  size_t count);

#endif /* TARE_SNAPSHOT_RETAIN_PARTS_H */
