/* snapshot.h - a heap snapshot of V8, as far as it says who holds what.
 *
 * The file is JSON written by V8 (`.heapsnapshot`); it may be cut off or forged. Objects and
 * references are kept in compact arrays: 16 bytes per object, 8 per reference. Of the strings, the
 * first JSON_TEXT bytes of those that name something are kept. A snapshot beyond the limits below
 * is refused before it is read, so that it never takes more than about 700 MB.
 */
#ifndef TARE_SNAPSHOT_SNAPSHOT_H
#define TARE_SNAPSHOT_SNAPSHOT_H

#include "base/err.h"
#include "snapshot/json.h"

#define SNAPSHOT_NODES  (8u << 20)
#define SNAPSHOT_EDGES  (32u << 20)
#define SNAPSHOT_PLACES (2u << 20)
#define SNAPSHOT_TEXTS  (16u << 20)  /* strings */
#define SNAPSHOT_BYTES  (64u << 20)  /* of all strings that are kept */
#define SNAPSHOT_NONE   UINT32_MAX

/* Read by name from the snapshot's own list, because their numbers differ between versions. */
enum node_type {
    NODE_OTHER,
    NODE_ARRAY,
    NODE_STRING, /* all kinds of strings, and numbers: their names are their contents */
    NODE_OBJECT,
    NODE_CODE,
    NODE_CLOSURE,
    NODE_NATIVE,
    NODE_SYNTHETIC
};

enum edge_type {
    EDGE_OTHER, /* hidden: an index */
    EDGE_CONTEXT,
    EDGE_ELEMENT, /* an index */
    EDGE_PROPERTY,
    EDGE_INTERNAL,
    EDGE_SHORTCUT,
    EDGE_WEAK
};

#define NODE_SIZE_MOST ((1u << 28) - 1)
struct heap_node {
    uint32_t name;  /* a string's number */
    uint32_t first; /* its first edge; they end at the next node's first */
    uint32_t id;    /* later objects have greater ids; UINT32_MAX: this or more */
    uint32_t size : 28, type : 4; /* bytes (NODE_SIZE_MOST: this or more); enum node_type */
};

struct heap_edge {
    uint32_t name;            /* a string's number, or an index */
    uint32_t to : 29, type : 3; /* a node's number; enum edge_type */
};

/* Where the source of a function begins. */
struct heap_place {
    uint32_t node, line, column; /* line and column from 1 */
};

struct snapshot {
    struct heap_node *nodes; /* node_count + 1; the first is the root */
    struct heap_edge *edges;
    struct heap_place *places; /* sorted by node */
    uint32_t *texts;           /* where each string begins in `bytes`; 0: not kept */
    char *bytes;
    size_t node_count, edge_count, place_count, text_count, byte_count;
};

/* Reads all of it; the caller frees with snapshot_free. */
int snapshot_load(struct snapshot **out, json_source *source, void *data, struct why *why);
/* The same from a file in the directory of a run; it must belong to the directory's owner. */
int snapshot_load_file(struct snapshot **out, const char *directory, const char *name,
                       struct why *why);
void snapshot_free(struct snapshot *snapshot); /* accepts NULL */

/* "" if it was not kept. */
const char *snapshot_text(const struct snapshot *snapshot, uint32_t string);
const char *snapshot_node_name(const struct snapshot *snapshot, uint32_t node);
const char *snapshot_edge_name(const struct snapshot *snapshot, uint32_t edge); /* "": has an index */

/* The node that the first edge of this name leads to, or SNAPSHOT_NONE. */
uint32_t snapshot_follow(const struct snapshot *snapshot, uint32_t node, enum edge_type type,
                         const char *name);

/* Where the source of a function begins; NULL: not known. */
const struct heap_place *snapshot_place(const struct snapshot *snapshot, uint32_t node);

/* Is it a Node timer, or a list of timers? */
bool snapshot_is_timer(const struct snapshot *snapshot, uint32_t node);

#endif /* TARE_SNAPSHOT_SNAPSHOT_H */
