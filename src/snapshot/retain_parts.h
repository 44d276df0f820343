/* retain_parts.h - what the files of retain share; see retain.h. */
#ifndef TARE_SNAPSHOT_RETAIN_PARTS_H
#define TARE_SNAPSHOT_RETAIN_PARTS_H

#include "snapshot/retain.h"

struct retain {
    const struct snapshot *snapshot; /* borrowed */
    uint32_t *edge, *from; /* per node: the edge that found it, and its origin; NONE: not found */
    uint32_t *depth;
    uint32_t *order; /* nodes in the order in which they were found */
    uint64_t *kind;  /* per node: the kind of the path to it */
    size_t found;
};

/* A wanted object. */
struct retain_target {
    uint64_t kind;
    uint32_t node, size;
};

/* Is this a strong reference that a program can see? */
bool retain_is_seen(const struct snapshot *snapshot, uint32_t source, uint32_t edge);

/* Is it what `then` or `await` has given to a promise? */
bool retain_is_reaction(const struct snapshot *snapshot, uint32_t node);

/* The last node that the paths to all of these share; a sample of them is compared. */
uint32_t retain_shared(const struct retain *retain, const struct retain_target *first, uint64_t objects);

/* The path to `out->objects` of them, which have one kind. 0, or ERR_NOMEM. */
int retain_describe(struct retain_way *out, const struct retain *retain, const struct retain_target *first);

/* The best path to these, which are sorted by kind (retain_choose.c); its counts include everything
 * that it holds. 0, or ERR_NOMEM. Without a node: no path leads to enough of them. */
int retain_choose(struct retain_way *out, const struct retain *retain, const struct retain_target *targets,
                  size_t count);

#endif /* TARE_SNAPSHOT_RETAIN_PARTS_H */
