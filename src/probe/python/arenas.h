/* arenas.h - the pages that a Python interpreter has mapped for its small objects, and how large the
 * object at an address in them is.
 *
 * An interpreter's own allocator knows the size of a block from the head of the pool that it lies in.
 * Where pools begin and what the head says is learned by trying (arenas_learn), never assumed. A fork
 * keeps all of it: the pages of the parent are the child's, too.
 */
#ifndef TARE_PROBE_ARENAS_H
#define TARE_PROBE_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void arenas_born(uintptr_t start, size_t length);
void arenas_dead(uintptr_t start, size_t length); /* any mapping; without arenas: no effect */

/* Tries blocks of all sizes, with the interpreter's lock. False: its allocator is not the usual one,
 * or its arenas were not all seen. */
bool arenas_learn(void *(*allocate)(size_t size), void (*release)(void *block));

/* Bytes that the small object here takes up; 0: no small object, or nothing has been learned. */
size_t arenas_size(const void *block);

#endif /* TARE_PROBE_ARENAS_H */
