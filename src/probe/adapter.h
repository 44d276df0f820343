/* adapter.h - what the probe offers to the adapters of languages and frameworks.
 *
 * An adapter runs inside the program, finds `tare_adapter_v1` by name, says hello once and then
 * tells of the steps that it sees. Scopes and the user's own steps go through tare_marks_v1.
 */
#ifndef TARE_PROBE_ADAPTER_H
#define TARE_PROBE_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"

/* Frozen: anything new is a new symbol, v2. Any thread; errno is kept; nothing ever fails. */
struct tare_adapter {
    void (*tick)(uint32_t clock);     /* a number of ledger/clocks.def; others are ignored */
    void (*hello)(const char *what);  /* the probe copies it, as a note; the first one counts */
    void (*loading)(void);            /* a module is being loaded: this is set-up, not work */
    void (*end)(void); /* the interpreter is about to take itself down */
};

/* What came later; frozen too. `kind` is a number of enum site_kind: SITE_TENSOR, _MANAGED, SITE_BUFFER. */
struct tare_adapter_more {
    void (*enter)(void); /* JavaScript runs on this thread; its engine may be asked from now on … */
    void (*leave)(void); /* … until now: its environment is taken down */
    /* Something that the heap does not show, made by the JavaScript that is running; it stands for
     * `weight` bytes. The number is the caller's, unique in the process, below 2^62. */
    void (*born)(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight);
    bool (*died)(uint64_t number); /* false: not known, or dead already */
    void (*gauge)(uint32_t gauge, uint64_t value); /* a number of ledger/gauges.def */
    /* The same, read by the probe at every step from where it lies, until told NULL. */
    void (*gauge_at)(uint32_t gauge, const double *where);
    void (*note)(const char *text); /* for the report; few of them */
    /* The JavaScript that is running begins what a framework goes on with later, on this thread. */
    void (*launch)(void);
    /* Collections of this thread's engine that are over; *full: those of its whole heap. */
    uint64_t (*collections)(uint64_t *full);
    bool (*heap)(uint64_t *used, uint64_t *external); /* of this thread's engine, in bytes */
    /* `bytes` of objects in the engine's heap were made by this function and are alive; once, at the
     * end. Texts may be NULL. */
    void (*objects)(const char *file, const char *function, uint32_t line, uint64_t bytes);
    /* Called behind each collection that the probe has asked this thread's engine for. */
    void (*on_collected)(void (*call)(void *), void *data);
};

/* A frame of a language, as an adapter tells it. */
struct tare_frame {
    const char *file, *function; /* may be NULL */
    uint32_t line, column;       /* column 0: not known */
};

/* For heaps that a collector manages; frozen too: tare_adapter_v3. On the thread of the heap. */
struct tare_adapter_heap {
    /* `bytes` of objects that are alive were made by this stack: texts of file and function and the
     * line of each frame, innermost first. `site` is 0 at first, then what was given back: the bytes
     * are told anew. 0: no room. */
    uint32_t (*objects)(uint32_t site, const struct tare_frame *frames, uint32_t count,
                        uint64_t bytes);
    /* What this thread allocates from now on, until told otherwise, is the adapter's own: counted, but
     * never sampled. Gives back what held before. */
    bool (*quiet)(bool on);
    /* Called when the doctor wants the heap written to `path`, if no more than `most` bytes of it are
     * in use (0: any). Gives back whether it was; *since: objects of a greater id are younger than the
     * first suspicion, 0: not known. */
    void (*on_snapshot)(bool (*take)(void *data, const char *path, uint64_t most, uint32_t *since),
                        void *data);
    /* Somebody has asked for the latest full collection on this thread, the program or its doctor: it left
     * less than the engine's own do. */
    bool (*thorough)(void);
    uint64_t (*kept)(void); /* bytes in use at the end of that one; 0: not known */
};

/* For remedies that are tried; frozen too: tare_adapter_v4. On the thread of the heap, called from its
 * language. */
struct tare_adapter_try {
    bool (*collect)(void); /* has the engine make a full collection; false: it may not be asked here */
    void (*exposed)(void); /* the program has the engine's own function for that, by a flag which must stay */
};

/* For engines that have a heap on each of several threads; frozen too: tare_workers_v1. */
struct tare_workers {
    /* The heap of this thread is the one that the gauges tell of from now on, and this thread alone serves
     * what is asked of its collector; false: no more, any thread may. */
    void (*charge)(bool mine);
};

/* What came later; frozen too: tare_workers_v2. */
struct tare_workers_end {
    /* This thread is a worker, and ends: what its heap holds is about to go. Bytes of it behind the first and
     * the latest of the collections that each left more; 0 and 0: none did. */
    void (*over)(uint64_t first, uint64_t latest);
};

/* For what comes to life later than it is made; frozen too: tare_adapter_v5. */
struct tare_adapter_late {
    /* The JavaScript that is running, as a number for the next; 0: not known. */
    uint32_t (*stack)(void);
    /* As born(), at the place that was noted then. */
    void (*born)(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight, uint32_t stack);
    /* The framework itself holds the tensor of this number: enum tensor_holder. */
    void (*held)(uint64_t number, uint32_t holder);
};

/* For scripts whose text is in no file; frozen too: tare_scripts_v1. */
struct tare_scripts {
    /* Written down for the doctor, once and if there is room: the engine's number of it, what it calls
     * it, and what it has run. On its thread. */
    void (*keep)(uint32_t script, const char *name, const char *text, size_t size);
    /* Since the last call: is a script on a stack by its name alone, and not one that was met? */
    bool (*wanted)(void);
};

/* For scripts that do not return to their event loop; frozen too: tare_midway_v1. On the engine's thread, at
 * one of its safe points, where no JavaScript may run. */
struct tare_midway {
    bool (*begin)(void); /* false: not now. Else sizes may be read, … */
    void (*end)(void);   /* … and here the doctor is served */
    void (*over)(void);  /* the program has run its last line: slices of time are no work any more */
};

/* For devices that work on while the program runs; frozen too: tare_device_v1. On one thread. */
struct tare_device {
    void (*sync_begin)(void); /* the device was asked to tell when all that it was given is done … */
    void (*sync_end)(void);   /* … and has told */
};

/* A clock of the frameworks has ticked, on a thread that holds the interpreter's lock. */
void adapter_tick(uint32_t clock);

/* Were modules being loaded within the last second? */
bool adapter_loading(uint64_t now);
void adapter_loads(void); /* a module is being loaded right now */

/* There is a ledger now, made by this process: it is told who is here. */
void adapter_introduce(struct ledger *ledger);

/* An interpreter whose adapter never came: its steps are not seen, and the ledger says so, once.
 * Before `grace` has passed since the ledger began it may still come. Nanoseconds. */
void adapter_missed(struct ledger *ledger, uint64_t now, uint64_t grace);

bool adapter_is_here(void);   /* has one said hello? */
bool adapter_is_node(void);   /* is the program Node, by its name? */
bool adapter_is_python(void); /* is the program an interpreter of Python, by its name? */

/* Where the program's steps are told by nobody: is it time to look at the interpreter? And the look,
 * by a thread that holds its lock. */
bool adapter_is_due(uint64_t now);
void adapter_visit(void);

/* The engine of this thread is about to collect, and none of the program's calls is under way: a turn of its
 * event loop is over, whether the loop goes on or not. What the turn held is garbage. */
void adapter_collects(void);

/* In the middle of a script (midway.h): what the doctor has asked of its engine. */
void adapter_midway(void);

/* Does this thread hold the interpreter's lock, for the adapter? Then it may be asked for things. */
bool adapter_may_ask(void);

/* Has the interpreter collect garbage: objects that it found unreachable. -1: none is here, or this
 * thread may not ask it now. */
long adapter_collect(void);

void adapter_reset(void); /* a new process; what was loaded before the fork is still there */

#endif /* TARE_PROBE_ADAPTER_H */
