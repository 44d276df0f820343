/* adapter_abi.h - what the probe offers to the adapters of languages and frameworks.
 *
 * An adapter runs inside the program. It looks up one symbol, `tare_adapter`, which is a struct tare_adapter.
 * Without the symbol the probe is not in the process, and the adapter does nothing. The adapter calls hello
 * once, and then reports what it sees. What the user's C code marks goes through include/tare/mark.h.
 *
 * The layout only grows: a new member is added at the end, and no member is moved, removed or given another
 * type. `size` says how far the struct of this probe reaches. An adapter that uses a member which was added
 * after the first release checks it with TARE_ADAPTER_HAS. Every member takes 8 bytes: adapters in other
 * languages find it by its place (adapters/python/tare/_probe.py; tests/size/test_adapter_abi.py compares).
 *
 * For all functions: they keep errno and never fail. Texts are UTF-8; NULL counts as "".
 */
#ifndef TARE_PROBE_ADAPTER_ABI_H
#define TARE_PROBE_ADAPTER_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"

/* A frame of a language, as an adapter reports it. */
struct tare_frame {
    const char *file;     /* NULL: not known */
    const char *function; /* NULL: not known */
    uint32_t line;        /* 0: not known */
    uint32_t column;      /* 0: not known */
};

struct tensor_sample; /* frameworks/tensors.h */

/* What a framework says of a device when it is asked. Members are 8 bytes each, and only added at the end. */
struct tare_device {
    uint64_t index;      /* number of the device */
    const char *name;    /* NULL: not known */
    uint64_t memory;     /* bytes of memory that it has; 0: not known */
    uint64_t returnable; /* free bytes that the framework's pool could return to the driver */
    uint64_t pinned;     /* free bytes of the pool beside a block in use, which keeps them */
    uint64_t pinning;    /* address of the block that keeps most of those; 0: not known */
    uint64_t parameters; /* bytes of the parameters that optimizers train */
    uint64_t gradients;  /* bytes of their gradients */
    uint64_t optimizer;  /* bytes of what the optimizers keep for them */
};

struct tare_adapter {
    size_t size; /* bytes of this struct, in the probe that exports it */

    /* ---- every adapter; any thread may call ---- */

    /* The adapter is loaded. The text becomes a note; only the first call counts. */
    void (*hello)(const char *what);
    /* A module is being loaded now, so what happens is set-up and not work. */
    void (*loading)(void);
    /* A clock has ticked: a number of ledger/clocks.def. Other numbers are ignored. */
    void (*tick)(uint32_t clock);
    /* The interpreter is about to shut down. */
    void (*end)(void);
    /* A text for the report; an adapter sends few of them. */
    void (*note)(const char *text);
    /* A scope of the user begins or ends on this thread, as in include/tare/mark.h. */
    void (*scope_begin)(const char *name);
    void (*scope_end)(void);
    /* The value of a gauge from now on: a number of ledger/gauges.def. */
    void (*gauge)(uint32_t gauge, uint64_t value);
    /* The same, but the probe reads the value at `where` at every step, until the next call passes NULL. */
    void (*gauge_at)(uint32_t gauge, const double *where);

    /* ---- frameworks with pools, graphs and registries of their own; any thread may call ---- */

    /* TensorFlow is loaded. Returns 1 if the probe can see its pool of large tensors. */
    int (*pool_find)(void);
    /* A number of that pool. `what`: 0 bytes handed out, 1 bytes reserved, 2 tensors handed out so far. */
    int64_t (*pool_read)(int what);
    /* This thread launches work that other threads will do. */
    void (*launch)(void);
    /* A function was compiled for new arguments, `more` times since the last call. `live`: how many of its
     * versions exist; 0: the framework does not say (JAX). `argument`: which one changed, in words; "": not
     * known. `change`: enum trace_change. */
    void (*trace)(const char *function, const char *file, int line, const char *call_file,
                  int call_line, const char *argument, int change, int more, int live);
    /* A framework keeps a registry of this name, which has `count` entries now. */
    void (*registry)(const char *name, int count);
    /* Counts the objects of this Python type from now on, as a registry of that name. The type must keep its
     * address. At most a few types. */
    void (*count_type)(void *type, const char *name);
    /* Records the calls of a type's objects from now on, as called_type.h says. 1: done, 0: not possible. */
    int (*clock_calls)(void *type, unsigned long flags, int clock, const char *own);
    /* Tensors of known type and shape, from which the probe learns the layout of all tensors. */
    void (*tensors)(const struct tensor_sample *samples, uint32_t count);

    /* ---- Python functions measured line by line; the caller holds the interpreter's lock ---- */

    /* Prepares the interpreter. 1: by its evaluation hook, 2: by sys.monitoring, 0: not possible. */
    int (*lines_begin)(void);
    /* Marks a code object; `locals`: how many variables it has. 0: too many functions are marked. */
    int (*lines_mark)(void *code, const char *name, const char *file, int first_line, int locals);
    /* Has `decide(code, globals)` called the first time that any function of this name is called. */
    int (*lines_wait_for)(void *name, void *decide);
    /* A new tuple of functions for sys.monitoring: start, resume, line, return, yield, unwind, throw. They
     * return `disable` to sys.monitoring for a function that needs no more calls. */
    void *(*lines_functions)(void *disable);
    /* Sets all numbers to zero. */
    void (*lines_clear)(void);
    /* Serves the doctor's requests between two steps. */
    void (*lines_attend)(void);

    /* ---- JavaScript: the engine and its heap; the caller is on the engine's thread ---- */

    /* JavaScript runs on this thread: the probe may call its engine. */
    void (*js_enter)(void);
    /* The engine shuts down: the probe must not call it any more. */
    void (*js_leave)(void);
    /* The sizes of this thread's heap, in bytes. False: not known. */
    bool (*js_heap)(uint64_t *used, uint64_t *external);
    /* The number of collections that this thread's engine has finished; *full: how many of them were of the
     * whole heap. */
    uint64_t (*js_collections)(uint64_t *full);
    /* Bytes in use at the end of the latest full collection on this thread; 0: not known. */
    uint64_t (*js_kept)(void);
    /* Did the program or the doctor request that collection? Such a collection leaves less than the engine's
     * own collections do. */
    bool (*js_kept_by_request)(void);
    /* Has the engine make a full collection. False: that is not allowed here. Called from JavaScript. */
    bool (*js_collect)(void);
    /* The program itself exposes the engine's function for collections, by a flag, which must stay set. */
    void (*js_exposed)(void);
    /* Sets the function to call after each collection that the probe requests from this thread's engine. */
    void (*js_on_collected)(void (*call)(void *), void *data);
    /* Sets the function to call when the doctor wants the heap written to `path`. It writes the heap only if
     * at most `most` bytes of it are in use (0: any size) and the pause is allowed (js_pause_most), and
     * returns whether it did. *since: objects with a greater id are younger than the first suspicion; 0: not
     * known. */
    void (*js_on_snapshot)(bool (*take)(void *data, const char *path, uint64_t most, uint32_t *since),
                           void *data);
    /* `on`: what this thread allocates from now on is the adapter's own. It is counted, but never sampled.
     * Returns the previous setting. */
    bool (*js_quiet)(bool on);

    /* ---- JavaScript: what a program makes; the caller is on the engine's thread ---- */

    /* The stack of the JavaScript that is running, as a number for js_born; 0: not known. */
    uint32_t (*js_stack)(void);
    /* JavaScript made something that the heap does not show. `kind`: SITE_TENSOR, SITE_MANAGED or SITE_BUFFER
     * of enum site_kind. It stands for `weight` bytes. The caller chooses the number: unique in the process,
     * below 2^62. `stack`: from js_stack; 0: the stack of the JavaScript that is running. */
    void (*js_born)(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight, uint32_t stack);
    /* What has this number is gone. False: the number is not known, or it was gone already. */
    bool (*js_died)(uint64_t number);
    /* The framework itself holds the tensor with this number. `holder`: enum tensor_holder. */
    void (*js_held)(uint64_t number, uint32_t holder);
    /* This stack made objects of `bytes` that are alive. The innermost frame comes first. `site` is 0 in the
     * first call, and later the result of that call; then `bytes` replaces the earlier number. Returns 0 if
     * there is no room. */
    uint32_t (*js_objects)(uint32_t site, const struct tare_frame *frames, uint32_t count, uint64_t bytes);
    /* The JavaScript that is running starts work that a framework continues later, on this thread. */
    void (*js_launch)(void);
    /* Saves a script whose text is in no file, once and if there is room: the engine's number of the script,
     * the engine's name for it, and the text that the engine ran. */
    void (*js_script_keep)(uint32_t script, const char *name, const char *text, size_t size);
    /* Since the last call, has a stack shown a new script that is known only by its name? */
    bool (*js_script_wanted)(void);

    /* ---- JavaScript: scripts that do not return to their event loop ----
     * Called on the engine's thread, at one of its safe points, where no JavaScript may run. */

    /* True: heap sizes may be read until js_interrupt_end. False: not now. */
    bool (*js_interrupt_begin)(void);
    /* Serves the doctor's requests, after a js_interrupt_begin that returned true. */
    void (*js_interrupt_end)(void);
    /* The last line of the program has run: later time slices are not work. */
    void (*js_work_over)(void);

    /* ---- JavaScript: engines with a heap on each of several threads ---- */

    /* `mine`: the gauges show this thread's heap from now on, and only this thread serves requests to the
     * collector. False: this ends, and any thread may serve them. */
    void (*js_charge)(bool mine);
    /* This thread is a worker, and ends: its heap is about to be freed. `first` and `latest`: its bytes after
     * the first and the latest of the collections that each left more. Both 0: no collection left more. */
    void (*js_worker_over)(uint64_t first, uint64_t latest);

    /* ---- devices that work in parallel with the program; called on one thread ---- */

    /* The adapter has asked the device to report when all its work is done. */
    void (*device_sync_begin)(void);
    /* The device has reported that. */
    void (*device_sync_end)(void);

    /* ---- memory of devices; any thread may call ---- */

    /* PyTorch is loaded: the probe looks up the functions that its device allocators call. */
    void (*device_find)(void);
    /* A framework's own pool has handed out a block of a device's memory, or has taken it back. */
    void (*device_born)(uint32_t device, uint64_t address, uint64_t bytes);
    void (*device_died)(uint32_t device, uint64_t address, uint64_t bytes);
    /* The pool has taken so many bytes of this device from the driver in total. */
    void (*device_pool)(uint32_t device, uint64_t bytes);
    /* What the framework says of a device. */
    void (*device_says)(const struct tare_device *about);

    /* ---- JavaScript: how long a look at the heap may stop the program; on the engine's thread ---- */

    /* The longest pause, in nanoseconds. `listens`: the program listens on a socket. 0: the user wants no
     * snapshot. UINT64_MAX: any. */
    uint64_t (*js_pause_most)(bool listens);
    /* The snapshot that is wanted now is not taken. `reason`: enum unsearched. `expected`: how long it would
     * have stopped the program; 0: not known. `most`: how long it might have. Called before the function of
     * js_on_snapshot returns false. */
    void (*js_no_snapshot)(uint32_t reason, uint64_t expected, uint64_t most);
};

/* Does the struct of this probe reach as far as this member? */
#define TARE_ADAPTER_HAS(adapter, member)                                                          \
    ((adapter)->size >= offsetof(struct tare_adapter, member) + sizeof((adapter)->member))

#endif /* TARE_PROBE_ADAPTER_ABI_H */
