/* way.h - the path to an object in the words of the program: variables, properties, closures.
 *
 * It begins with the last variable, timer or global before the object that grows. Internal objects
 * of the engine (contexts, tables, elements) are left out.
 */
#ifndef TARE_SNAPSHOT_WAY_H
#define TARE_SNAPSHOT_WAY_H

#include "base/text.h"
#include "snapshot/retain.h"

enum way_kind {
    WAY_VARIABLE, /* first: a variable of a module. file: its source */
    WAY_LOCAL,    /* first: a captured local variable. function: the one it belongs to */
    WAY_GLOBAL,   /* first: a property of the global object */
    WAY_TIMER,    /* first: timers that are waiting */
    WAY_NATIVE,   /* first: references from Node or from add-ons */
    WAY_ROOT,     /* first: something else */
    WAY_PROPERTY,
    WAY_ELEMENT,   /* of an array */
    WAY_VALUE,     /* of a Map */
    WAY_KEY,       /* of a Map, or a member of a Set */
    WAY_LISTENERS, /* name: of the event, if known */
    WAY_CALLBACKS, /* what a promise calls when it is settled: then, await */
    WAY_CLOSURE,   /* a function. name: its own; function: the one that made it */
    WAY_CAPTURED,  /* a variable captured by the function before */
    WAY_PART       /* something else */
};

#define WAY_STEPS 24 /* a longer path is cut */
#define WAY_TEXT  96
#define WAY_NATIVE_NAME "references of native code"

struct way_step {
    enum way_kind kind;
    char name[WAY_TEXT], type[WAY_TEXT]; /* type: of the object it leads to; "{a, b}" for a plain object */
    char function[WAY_TEXT];
    char file[256];
    unsigned line, column; /* of a function; 0: unknown */
    bool chain;    /* a property that leads to the next object of a chain */
};

struct way {
    struct way_step steps[WAY_STEPS];
    size_t count;
    size_t growing; /* the step that leads to the object that grows; SIZE_MAX: none */
    uint64_t objects, bytes;
};

void way_tell(struct way *out, const struct snapshot *snapshot, const struct retain_way *found);

/* "cache (Map) → value {id, rows} → .rows" */
void way_text(struct text *out, const struct way *way);

#endif /* TARE_SNAPSHOT_WAY_H */
