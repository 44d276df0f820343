/* v8.h - the probe's requests to V8 itself: the gentlest available collection, and heap sizes. */
#ifndef TARE_PROBE_V8_H
#define TARE_PROBE_V8_H

#include <stdbool.h>
#include <stdint.h>

enum v8_symbol {
#define V8_SYMBOL(name, mangled) V8_##name,
#include "probe/js/v8_symbols.def"
#undef V8_SYMBOL
};

/* Puts the address of a function into *out, a pointer to such a function. False: V8 has none of this name.
 * Where the loader's lock may be taken. */
bool v8_symbol(enum v8_symbol symbol, void *out);
const char *v8_symbol_name(enum v8_symbol symbol);

/* Once, before the others. False: V8 cannot be called at all. */
bool v8_find(void);

/* The program has set the flag itself. */
void v8_exposed(void);

/* On the isolate's thread, at a moment when V8 may be called. */
void v8_collect(void *isolate);

/* A collection begins on this thread. */
void v8_collection_begins(void);

/* Three sizes of the isolate's heap: bytes in use, external bytes on its account, and the limit
 * to which it may grow. The caller knows that V8 may be called. False: not available. */
bool v8_heap_size(void *isolate, uint64_t *used, uint64_t *external, uint64_t *limit);

void v8_forked(void); /* the thread that had the flag on is gone */

#endif /* TARE_PROBE_V8_H */
