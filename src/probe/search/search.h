/* search.h - what points to these blocks? A search in a copy of the process.
 *
 * Marks every heap block that can be reached: first from the objects of an interpreter, if one is
 * known (python_roots.h), then from variables of the program's modules, from mapped memory, and
 * from stacks. libc's own variables are not roots, because they point to free memory too. Each
 * block remembers what reached it first. Words of native memory that look like pointers are taken
 * for pointers. Child only: raw system calls, memory of its own, no heap, no lock.
 */
#ifndef TARE_PROBE_SEARCH_H
#define TARE_PROBE_SEARCH_H

#include "probe/search/targets.h"
#include "probe/search/task.h"

/* Writes the answers, each with its state, then the account; false: it could not be done. */
bool search_run(struct search_task *task);

#endif /* TARE_PROBE_SEARCH_H */
