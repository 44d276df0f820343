/* frameworks.h - what the probe offers to the adapters of frameworks that keep pools, graphs and
 * registries of their own (TensorFlow, Keras, JAX), beside adapter.h.
 */
#ifndef TARE_PROBE_FRAMEWORKS_H
#define TARE_PROBE_FRAMEWORKS_H

#include <stdint.h>

#include "ledger/writer.h"

/* Found by name, as `tare_frameworks_v1`. Frozen: anything new is a new symbol, v2. Any thread; errno
 * is kept; nothing ever fails. Texts are UTF-8, NULL is taken for "". */
struct tare_frameworks {
    /* TensorFlow is loaded. 1: its pool of large tensors can be seen. */
    int (*resolve)(void);
    /* Of that pool: 0 bytes handed out, 1 bytes reserved, 2 tensors handed out so far. */
    int64_t (*pool)(int what);
    /* Work is launched now that other threads will do. */
    void (*launch)(void);
    /* A function was compiled for new arguments `more` times since it was last told of; `live`: how
     * many of its versions exist; 0: the framework does not say (JAX). `argument`: which one changed, in
     * words; "": not known. `change`: enum trace_change. */
    void (*trace)(const char *function, const char *file, int line, const char *call_file,
                  int call_line, const char *argument, int change, int more, int live);
    /* Entries in something that a framework keeps. */
    void (*registry)(const char *name, int count);
    /* A Python type whose objects are to be counted from now on, as a registry of that name; the type
     * keeps its address. At most a few. */
    void (*count_type)(void *type, const char *name);
    void (*note)(const char *text);
};

/* Found by name, as `tare_frameworks_v2`; the same rules. */
struct tare_frameworks_more {
    /* Calls of a type's objects are to be told of, as called_type.h says. 1: they will be. */
    int (*clock_calls)(void *type, unsigned long flags, int clock, const char *own);
};

/* With the totals of a step: the counted types. */
void frameworks_write(struct ledger *ledger);

void frameworks_reset(void); /* a new process: nothing is in its ledger yet */

#endif /* TARE_PROBE_FRAMEWORKS_H */
