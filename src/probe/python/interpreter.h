/* interpreter.h - the few functions of the interpreter that the probe calls.
 *
 * Only for a thread that holds the interpreter's lock and was called from Python code by the
 * adapter: at a tick, and at the end. They may run Python code (finalizers), and other threads may
 * run during them. The probe works without any of them: a function that is missing, or fails once,
 * is not used.
 */
#ifndef TARE_PROBE_INTERPRETER_H
#define TARE_PROBE_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PyMemAllocatorEx, the same since 3.5. */
struct python_allocator {
    void *ctx;
    void *(*malloc)(void *ctx, size_t size);
    void *(*calloc)(void *ctx, size_t count, size_t size);
    void *(*realloc)(void *ctx, void *block, size_t size);
    void (*free)(void *ctx, void *block);
};

enum python_domain { PYTHON_RAW = 0, PYTHON_MEM = 1, PYTHON_OBJ = 2 };

struct python_counts {
    uint64_t blocks;      /* live blocks of the allocator of small objects */
    uint64_t collections; /* collections so far, of any generation */
    uint64_t full;
};

struct python_collector {
    bool enabled;
    uint64_t threshold; /* threshold of the youngest generation; 0: it never collects by itself */
};

/* When the adapter says hello: looks the functions up. */
void interpreter_find(void);

/* False in a sub-interpreter, in a free-threaded build, and where something is missing. */
bool interpreter_usable(void);

/* At its end: are there threads that would stumble if it took long? Before 3.11 a thread that waits for the
 * lock looks up every 5 ms, and reads the interpreter's state even if that is freed by then. A program
 * whose end takes less never meets that. */
bool interpreter_must_end_soon(void);

bool interpreter_counts(struct python_counts *out);
bool interpreter_collector(struct python_collector *out);

/* Objects found unreachable; -1: not available. Also where the collector is switched off. */
long interpreter_collect(void);

bool interpreter_get_allocator(enum python_domain domain, struct python_allocator *out);
void interpreter_set_allocator(enum python_domain domain, struct python_allocator *in);

/* Takes and releases one block of the object domain: shows whether a wrapper is still called. */
void interpreter_try_block(void);

#endif /* TARE_PROBE_INTERPRETER_H */
