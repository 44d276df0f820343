/* heap_size.h - how large the heap of this thread's JavaScript is, by asking V8. */
#ifndef TARE_PROBE_HEAP_SIZE_H
#define TARE_PROBE_HEAP_SIZE_H

#include <stdbool.h>
#include <stdint.h>

void heap_size_find(void); /* looks up what is asked of V8; where the loader's lock may be taken */

/* Bytes in use in the isolate's heap, outside of it on its account, and to which it may grow. False: not
 * to be had. */
bool heap_size(uint64_t *used, uint64_t *external, uint64_t *limit);

/* The same where the caller knows that V8 may be asked: behind a collection. */
bool heap_size_of(void *isolate, uint64_t *used, uint64_t *external, uint64_t *limit);

#endif /* TARE_PROBE_HEAP_SIZE_H */
