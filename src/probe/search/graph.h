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
#include "probe/copy/regions.h"
#include "probe/search/doubt_pure.h"
#include "probe/search/nodes.h"
#include "probe/search/pages.h"
#include "probe/search/task.h"

#define ROOT_BIT 0x80000000u
#define OBJECT_BIT 0x40000000u
#define INDEX_MASK 0x3fffffffu
#define CLOSED 0xffffffffu /* an object that is only entered as a root, in its turn */

/* Python objects, in the order in which they were reached. */
struct objects {
    uintptr_t *address; /* of each object */
    uintptr_t *where;   /* address of the reference that led to it */
    thing *from;        /* what has that reference */
    uint32_t count;     /* objects that were reached */
    uint32_t room;      /* objects for which there is room */
    uint32_t closed; /* how many of the first objects are, or were, closed */
    uint32_t *slots; /* hash table: address to index + 1; made at the first look-up */
    uint32_t slot_bits; /* the table has 2 to the power of this many slots */
};

struct root {
    enum owner_kind kind;   /* kind of a Python root; 0: the root is native */
    enum root_kind native;  /* kind of a native root */
    uintptr_t object;       /* a module's dictionary, a frame, a thread's state */
    uintptr_t owner;        /* the module itself */
    uintptr_t name;         /* a str: the module's name */
    bool user;              /* the program's own code, not a library's */
};

struct python_view; /* python_objects.h */

struct graph;

/* What the graph asks of a language whose objects it meets: python_objects.c. */
struct graph_language {
    /* The object that this block was made for; 0: none. */
    uintptr_t (*in)(const struct graph *graph, uintptr_t start, uintptr_t end);
    /* Is there an object at this address? For words that may be anything. */
    bool (*found)(const struct graph *graph, uintptr_t address);
    /* Reaches everything that the object refers to. */
    void (*expand)(struct graph *graph, thing object);
};

#define GRAPH_LATE 64
#define GRAPH_BOUNDED 4096

struct graph {
    struct search_task *task; /* what is searched for, and the answers */
    struct regions regions;   /* the mappings of the process */
    struct pages pages;       /* which pages can be read, and the chunks in them */
    struct nodes nodes;       /* chunks of the heap */
    struct objects objects;   /* Python objects that were reached */
    struct root *roots;       /* where the walk began */
    uint32_t root_count;      /* entries of `roots` */
    uint32_t root_room;       /* roots for which there is room */
    struct doubt_queue queue; /* what was reached and is still to be followed */
    const struct python_view *python; /* NULL: no interpreter, or none that is known */
    const struct graph_language *language; /* what an object is; asked only where `python` is set */
    bool user_only;                   /* the walk does not enter classes of libraries */
    uint32_t late[GRAPH_LATE]; /* chunks through which everything leads to everything */
    unsigned late_count;
    bool exact;         /* native memory waits until everything that objects show is reached */
    uint32_t *deferred; /* chunks that wait; at most as many as there are nodes */
    uint32_t deferred_count, deferred_done;
    bool objects_reported; /* what objects hold is known; other paths do not replace those */
    thing bounded[GRAPH_BOUNDED]; /* containers with a declared bound; searched last */
    unsigned bounded_count;
    bool bounded_open;  /* the turn of `bounded` has come */
    bool partial;       /* some memory was not read; missing targets may be there */
    uint64_t scanned;   /* bytes that were read */
};

/* Room for roots and objects. False: no memory. */
bool graph_init(struct graph *graph);

/* Forgets what was reached; blocks and pages stay known. */
void graph_forget(struct graph *graph);

uint32_t graph_find_chunk(const struct graph *graph, uintptr_t address); /* 0: none */
thing graph_find_object(struct graph *graph, uintptr_t address);         /* 0: not reached */
thing graph_from(const struct graph *graph, thing reached);
uintptr_t graph_where(const struct graph *graph, thing reached);
uint32_t graph_add_root(struct graph *graph, const struct root *root); /* UINT32_MAX: no room */

/* Marks an object that has been checked, once. */
void graph_reach_object(struct graph *graph, uintptr_t address, thing from, uintptr_t where);
/* Closes an object: it is only entered as a root of its own. Call it before any other object is
 * reached. */
void graph_close_object(struct graph *graph, uintptr_t address);
void graph_open_object(struct graph *graph, uintptr_t address, thing from);
/* Reaches a chunk that belongs to an object and holds only what the object has already shown. */
void graph_reach_storage(struct graph *graph, uint32_t chunk, thing from, uintptr_t where);

/* Takes every word in [start, end) for a pointer. `chunks_only`: pointers to Python objects do
 * not count, here and in the blocks of unknown class that follow: these are buffers, which are
 * never cleared. */
void graph_scan(struct graph *graph, uintptr_t start, uintptr_t end, thing from, bool chunks_only);

/* Takes `value` as a word at this place, from an object that knows its blocks by number. Only a
 * block's start counts. */
void graph_take_number(struct graph *graph, uintptr_t value, thing from, uintptr_t where);

/* Follows the chunks that were put off, each as a root. */
void graph_follow_late(struct graph *graph);

/* Native memory that is reached from now on is only noted. */
void graph_defer_native(struct graph *graph);
/* Ends that; what was noted before the count was `until` is followed to its end. */
void graph_follow_deferred(struct graph *graph, uint32_t until);

/* Reads large blocks after all in which a few looks saw no pointer, as long as they are not too
 * many. */
void graph_read_large(struct graph *graph);

/* Follows everything that was reached, in order of doubt, until nothing new is reached. */
void graph_follow(struct graph *graph);

/* How many of the site's blocks are marked. */
uint32_t graph_reached(const struct graph *graph, const struct search_site *site);

/* Are nine tenths of each site's blocks reached? Then the search for the rest may stop. */
bool graph_found_all(const struct graph *graph);

static inline uintptr_t graph_end(const struct graph *graph, uint32_t chunk)
{
    return nodes_end(&graph->nodes, chunk);
}

static inline uintptr_t graph_word(uintptr_t at)
{
    return *(const uintptr_t *)at;
}

#endif /* TARE_PROBE_GRAPH_H */
