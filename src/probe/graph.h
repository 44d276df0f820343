/* graph.h - what points to what, in a copy of the process: blocks of the heap and Python objects.
 *
 * Two kinds of things are marked when they are first reached: chunks of glibc's heap, known beforehand,
 * and Python objects, found on the way. Each remembers what led to it, so that the path can be read
 * backwards. Child only: raw system calls, memory of its own, no heap, no lock.
 */
#ifndef TARE_PROBE_GRAPH_H
#define TARE_PROBE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"
#include "probe/pages.h"
#include "probe/regions.h"
#include "probe/search.h"

/* A thing: a chunk by its index, an object by its index and OBJECT_BIT, a root by its index and
 * ROOT_BIT. 0: nothing. */
typedef uint32_t thing;

#define ROOT_BIT 0x80000000u
#define OBJECT_BIT 0x40000000u
#define INDEX_MASK 0x3fffffffu
#define CLOSED 0xffffffffu /* an object that is not entered before its own turn as a root */

#define WORDS_MANY 3
#define WORD_START 0x80
#define WORD_PLAIN 0x40
#define NODE_UNIT 8 /* bytes */

/* Chunks of the heap in use, by address. Index 0 is not used. There may be as many as the program has
 * blocks of 32 bytes, so each field counts: NODE_BYTES in all. */
struct nodes {
    uintptr_t *start;
    uint32_t *size;   /* in units; the end of a block of more than 32 GB is not known */
    uintptr_t *where; /* address of the pointer that reached it first */
    thing *from;      /* what that pointer lies in; 0: not reached */
    uint8_t *words;   /* how many point into it, up to WORDS_MANY; WORD_START: one does to its start;
                       * WORD_PLAIN: reached from an object that has shown all objects it refers to */
    uint32_t count, room;
};
#define NODE_BYTES (2 * sizeof(uintptr_t) + sizeof(uint32_t) + sizeof(thing) + 1)

/* Python objects, in the order in which they were reached. */
struct objects {
    uintptr_t *address, *where;
    thing *from;
    uint32_t count, room;
    uint32_t closed; /* those of the first that are, or were, closed */
    uint32_t *slots; /* index + 1 by address, open-addressed; made when it is first asked for */
    uint32_t slot_bits;
};

struct root {
    enum owner_kind kind;   /* of a Python root; 0: a native one */
    enum root_kind native;  /* of a native one */
    uintptr_t object;       /* a module's dictionary, a frame, a thread's state */
    uintptr_t owner;        /* the module itself */
    uintptr_t name;         /* a str: the module's name */
    bool user;              /* the program's own code, not a library's */
};

struct python_view; /* python_objects.h */

#define GRAPH_LATE 64
#define GRAPH_BOUNDED 4096

struct graph {
    struct search_task *task;
    struct regions regions;
    struct pages pages;
    struct nodes nodes;
    struct objects objects;
    struct root *roots;
    uint32_t root_count, root_room;
    thing *queue;
    uint32_t head, tail, queue_room;
    const struct python_view *python; /* NULL: no interpreter, or none that is known */
    bool user_only;                   /* classes of libraries are not entered now */
    uint32_t late[GRAPH_LATE]; /* chunks through which everything leads to everything */
    unsigned late_count;
    bool exact;         /* native memory waits until all that objects say themselves is known */
    uint32_t *deferred; /* chunks that wait; as many as there are nodes, at most */
    uint32_t deferred_count, deferred_done;
    bool objects_told;  /* what objects hold is known: a way from elsewhere does not replace theirs */
    thing bounded[GRAPH_BOUNDED]; /* containers with a declared bound: they hold what nothing else does */
    unsigned bounded_count;
    bool bounded_open;  /* their turn has come */
    bool partial;       /* some memory that may hold pointers was not read: what is not found may be there */
    uint64_t scanned;
};

/* Room for roots, objects and the queue. False: no memory. */
bool graph_init(struct graph *graph);

/* What was reached is forgotten; blocks and pages stay known. */
void graph_forget(struct graph *graph);

uint32_t graph_find_chunk(const struct graph *graph, uintptr_t address); /* 0: none */
thing graph_find_object(struct graph *graph, uintptr_t address);         /* 0: not reached */
thing graph_from(const struct graph *graph, thing reached);
uintptr_t graph_where(const struct graph *graph, thing reached);
uint32_t graph_add_root(struct graph *graph, const struct root *root); /* UINT32_MAX: no room */

/* Marks an object that has been checked, once. */
void graph_reach_object(struct graph *graph, uintptr_t address, thing from, uintptr_t where);
/* An object that is only entered as a root of its own; before any other is reached. */
void graph_close_object(struct graph *graph, uintptr_t address);
void graph_open_object(struct graph *graph, uintptr_t address, thing from);
/* A chunk that belongs to an object and holds nothing but what the object has shown already. */
void graph_reach_storage(struct graph *graph, uint32_t chunk, thing from, uintptr_t where);

/* Takes every word in [start, end) for a pointer. `chunks_only`: Python objects do not count, and
 * neither do they further on, in blocks that are of no known class: there are buffers, never cleared. */
void graph_scan(struct graph *graph, uintptr_t start, uintptr_t end, thing from, bool chunks_only);

/* As a word of that value at this place, from an object that knows its blocks by number. Only a block's
 * start counts. */
void graph_take_number(struct graph *graph, uintptr_t value, thing from, uintptr_t where);

/* The chunks that were left for later lead on, each as a root. */
void graph_follow_late(struct graph *graph);

/* From now on native memory that is reached is only noted … */
void graph_defer_native(struct graph *graph);
/* … until now; what was noted before the count was `until` is followed to its end. */
void graph_follow_deferred(struct graph *graph, uint32_t until);

/* Large blocks in which a few looks saw no pointer are read after all, as far as they are not too many. */
void graph_read_large(struct graph *graph);

/* Everything that is reached leads on, until nothing new is. */
void graph_follow(struct graph *graph);

static inline uintptr_t graph_end(const struct graph *graph, uint32_t chunk)
{
    return graph->nodes.start[chunk] + (uintptr_t)graph->nodes.size[chunk] * NODE_UNIT;
}

static inline uintptr_t graph_word(uintptr_t at)
{
    return *(const uintptr_t *)at;
}

#endif /* TARE_PROBE_GRAPH_H */
