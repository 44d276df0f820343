/* adapter_abi.h - what the probe offers to the adapters of languages and frameworks.
 *
 * An adapter runs inside the program. It finds `tare_adapter_v1` by name, calls hello once, and
 * then reports the steps that it sees. Scopes and the user's own steps go through tare_marks_v1.
 */
#ifndef TARE_PROBE_ADAPTER_ABI_H
#define TARE_PROBE_ADAPTER_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"

/* Frozen: anything new is a new symbol, v2. Any thread may call; errno is kept; no call ever
 * fails. */
struct tare_adapter {
    void (*tick)(uint32_t clock);     /* a number of ledger/clocks.def; others are ignored */
    void (*hello)(const char *what);  /* the text becomes a note; only the first call counts */
    void (*loading)(void);            /* a module is being loaded, so this is set-up and not work */
    void (*end)(void); /* the interpreter is about to shut down */
};

/* Later additions; frozen too. `kind` is a number of enum site_kind: SITE_TENSOR, _MANAGED,
 * SITE_BUFFER. */
struct tare_adapter_more {
    void (*enter)(void); /* JavaScript runs on this thread: the probe may call its engine */
    void (*leave)(void); /* the engine shuts down: the probe must not call it any more */
    /* The JavaScript that is running made something that the heap does not show. It stands for
     * `weight` bytes. The caller chooses the number: unique in the process, below 2^62. */
    void (*born)(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight);
    bool (*died)(uint64_t number); /* this number is gone; false: not known, or dead already */
    void (*gauge)(uint32_t gauge, uint64_t value); /* `gauge`: a number of ledger/gauges.def */
    /* The same, but the probe reads the value at `where` at every step, until the next call
     * passes NULL. */
    void (*gauge_at)(uint32_t gauge, const double *where);
    void (*note)(const char *text); /* a text for the report; an adapter sends few of them */
    /* The JavaScript that is running starts work that a framework continues later, on this
     * thread. */
    void (*launch)(void);
    /* The number of collections that this thread's engine has finished; *full: how many were of
     * the whole heap. */
    uint64_t (*collections)(uint64_t *full);
    bool (*heap)(uint64_t *used, uint64_t *external); /* sizes of this thread's engine, in bytes */
    /* This function made objects of `bytes` in the engine's heap, which are alive. Called once,
     * at the end. Texts may be NULL. */
    void (*objects)(const char *file, const char *function, uint32_t line, uint64_t bytes);
    /* Sets the function to call after each collection that the probe requests from this thread's
     * engine. */
    void (*on_collected)(void (*call)(void *), void *data);
};

/* A frame of a language, as an adapter reports it. */
struct tare_frame {
    const char *file, *function; /* may be NULL */
    uint32_t line, column;       /* column 0: not known */
};

/* For heaps that a collector manages; frozen too: tare_adapter_v3. Called on the thread of the
 * heap. */
struct tare_adapter_heap {
    /* This stack made objects of `bytes` that are alive. A frame has the texts of file and
     * function, and the line; the innermost comes first. `site` is 0 in the first call, and
     * later the result of that call; then `bytes` replaces the earlier number. 0: no room. */
    uint32_t (*objects)(uint32_t site, const struct tare_frame *frames, uint32_t count,
                        uint64_t bytes);
    /* `on`: what this thread allocates from now on is the adapter's own: it is counted, but
     * never sampled. Returns the previous setting. */
    bool (*quiet)(bool on);
    /* Sets the function to call when the doctor wants the heap written to `path`. It writes the
     * heap only if at most `most` bytes of it are in use (0: any size), and returns whether it
     * did. *since: objects with a greater id are younger than the first suspicion; 0: not known. */
    void (*on_snapshot)(bool (*take)(void *data, const char *path, uint64_t most, uint32_t *since),
                        void *data);
    /* Did the program or the doctor request the latest full collection on this thread? Such a
     * collection leaves less than the engine's own collections do. */
    bool (*thorough)(void);
    uint64_t (*kept)(void); /* bytes in use at the end of that collection; 0: not known */
};

/* For remedies that are tried; frozen too: tare_adapter_v4. Called on the thread of the heap,
 * from its language. */
struct tare_adapter_try {
    /* Has the engine make a full collection; false: that is not allowed here. */
    bool (*collect)(void);
    /* The program itself exposes the engine's function for collections, by a flag, which must
     * stay set. */
    void (*exposed)(void);
};

/* For engines that have a heap on each of several threads; frozen too: tare_workers_v1. */
struct tare_workers {
    /* `mine`: the gauges show this thread's heap from now on, and only this thread serves
     * requests to the collector. False: this ends, and any thread may serve them. */
    void (*charge)(bool mine);
};

/* A later addition for the same engines; frozen too: tare_workers_v2. */
struct tare_workers_end {
    /* This thread is a worker, and ends: its heap is about to be freed. `first` and `latest`:
     * its bytes after the first and the latest of the collections that each left more. Both 0:
     * no collection left more. */
    void (*over)(uint64_t first, uint64_t latest);
};

/* For objects whose memory is allocated later than the object is made; frozen too:
 * tare_adapter_v5. */
struct tare_adapter_late {
    /* The stack of the JavaScript that is running, as a number for born(); 0: not known. */
    uint32_t (*stack)(void);
    /* As born() of tare_adapter_more, but with the stack that stack() returned. */
    void (*born)(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight, uint32_t stack);
    /* The framework itself holds the tensor with this number. `holder`: enum tensor_holder. */
    void (*held)(uint64_t number, uint32_t holder);
};

/* For scripts whose text is in no file; frozen too: tare_scripts_v1. */
struct tare_scripts {
    /* Saves a script for the doctor, once and if there is room: the engine's number of the
     * script, the engine's name for it, and the text that the engine ran. Called on the engine's
     * thread. */
    void (*keep)(uint32_t script, const char *name, const char *text, size_t size);
    /* Since the last call, has a stack shown a new script that is known only by its name? */
    bool (*wanted)(void);
};

/* For scripts that do not return to their event loop; frozen too: tare_midway_v1. Called on the
 * engine's thread, at one of its safe points, where no JavaScript may run. */
struct tare_midway {
    bool (*begin)(void); /* true: heap sizes may be read until end(); false: not now */
    void (*end)(void);   /* serves the doctor's requests, after a begin() that returned true */
    void (*over)(void);  /* the last line has run: later time slices are not work */
};

/* For devices that work in parallel with the program; frozen too: tare_device_v1. Called on one
 * thread. */
struct tare_device {
    void (*sync_begin)(void); /* the adapter asked the device to report when all its work is done */
    void (*sync_end)(void);   /* the device has reported that */
};

/* Found by name, as `tare_frameworks_v1`. Frozen: anything new is a new symbol, v2. Any thread
 * may call; errno is kept; no call ever fails. Texts are UTF-8; NULL counts as "". */
struct tare_frameworks {
    /* TensorFlow is loaded. Returns 1 if the probe can see its pool of large tensors. */
    int (*resolve)(void);
    /* A number of that pool. `what`: 0 bytes handed out, 1 bytes reserved, 2 tensors handed out
     * so far. */
    int64_t (*pool)(int what);
    /* This thread launches work that other threads will do. */
    void (*launch)(void);
    /* A function was compiled for new arguments, `more` times since the last call. `live`: how
     * many of its versions exist; 0: the framework does not say (JAX). `argument`: which one
     * changed, in words; "": not known. `change`: enum trace_change. */
    void (*trace)(const char *function, const char *file, int line, const char *call_file,
                  int call_line, const char *argument, int change, int more, int live);
    /* A framework keeps a registry of this name, which has `count` entries now. */
    void (*registry)(const char *name, int count);
    /* Counts the objects of this Python type from now on, as a registry of that name. The type
     * must keep its address. At most a few types. */
    void (*count_type)(void *type, const char *name);
    void (*note)(const char *text); /* a text for the report */
};

/* Found by name, as `tare_frameworks_v2`; the same rules. */
struct tare_frameworks_more {
    /* Records the calls of a type's objects from now on, as called_type.h says. 1: done. */
    int (*clock_calls)(void *type, unsigned long flags, int clock, const char *own);
};

/* Exported as `tare_lines_v1`, for the adapter, which holds the interpreter's lock. Frozen. */
struct tare_lines {
    /* Prepares the interpreter. 1: by its evaluation hook, 2: by sys.monitoring, 0: not
     * possible. */
    int (*begin)(void);
    /* Marks a code object; `locals`: how many variables it has. 0: there are too many. */
    int (*mark)(void *code, const char *name, const char *file, int first_line, int locals);
    /* Has `decide(code, globals)` called the first time that any function of this name is
     * called. */
    int (*wait_for)(void *name, void *decide);
    /* A new tuple of functions for sys.monitoring: start, resume, line, return, yield, unwind, throw.
     * They return `disable` to sys.monitoring for a function that needs no more calls. */
    void *(*functions)(void *disable);
    void (*clear)(void); /* all numbers start again at zero */
    void (*note)(const char *text); /* a text for the ledger */
    void (*attend)(void); /* serves the doctor's requests between two steps */
};

struct tensor_sample; /* frameworks/tensors.h */

/* For adapters, as `tare_arrays_v1`. Frozen: anything new is a new symbol, v2. */
struct tare_arrays {
    void (*tensors)(const struct tensor_sample *samples, uint32_t count);
};

#endif /* TARE_PROBE_ADAPTER_ABI_H */
