/* way.h - the way to an object in the words of the program: variables, properties, closures.
 *
 * It begins with the last variable, timer or global before what grows; what the engine keeps in
 * between (contexts, tables, elements) is left out.
 */
#ifndef TARE_SNAPSHOT_WAY_H
#define TARE_SNAPSHOT_WAY_H

#include "base/text.h"
#include "snapshot/retain.h"

enum way_kind {
    WAY_VARIABLE, /* first: a variable of a module. file: its source */
    WAY_LOCAL,    /* first: a variable of a function that others have closed over. function: that one's */
    WAY_GLOBAL,   /* first: a property of the global object */
    WAY_TIMER,    /* first: timers that are waiting */
    WAY_NATIVE,   /* first: references of Node's own or of add-ons */
    WAY_ROOT,     /* first: something else */
    WAY_PROPERTY,
    WAY_ELEMENT,   /* of an array */
    WAY_VALUE,     /* of a Map */
    WAY_KEY,       /* of a Map, or a member of a Set */
    WAY_LISTENERS, /* name: of the event, where it is known */
    WAY_CLOSURE,   /* a function. name: its own; function: the one it was made in */
    WAY_CAPTURED,  /* a variable that the function before has closed over */
    WAY_PART       /* something else */
};

#define WAY_STEPS 24 /* a longer one is cut */
#define WAY_TEXT  96
#define WAY_NATIVE_NAME "references of native code"

struct way_step {
    enum way_kind kind;
    char name[WAY_TEXT], type[WAY_TEXT]; /* type: of what it leads to; "{a, b}" for a plain object */
    char function[WAY_TEXT];
    char file[256];
    unsigned line, column; /* of a function; 0: not known */
    bool chain;    /* a property that leads from one to the next of a chain */
};

struct way {
    struct way_step steps[WAY_STEPS];
    size_t count;
    size_t growing; /* the step that leads to what grows; SIZE_MAX: none of them */
    uint64_t objects, bytes;
};

void way_tell(struct way *out, const struct snapshot *snapshot, const struct retain_way *found);

/* "cache (Map) → value {id, rows} → .rows" */
void way_text(struct text *out, const struct way *way);

#endif /* TARE_SNAPSHOT_WAY_H */
