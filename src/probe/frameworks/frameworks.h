/* frameworks.h - what frameworks that keep graphs and registries of their own report: TensorFlow, Keras, JAX.
 */
#ifndef TARE_PROBE_FRAMEWORKS_H
#define TARE_PROBE_FRAMEWORKS_H

#include <stdint.h>

#include "ledger/writer.h"

/* Calls of adapters: see `trace` and `registry` in entry/adapter_abi.h. */
void frameworks_trace(const char *function, const char *file, int line, const char *call_file,
                      int call_line, const char *argument, int change, int more, int live);
void frameworks_registry(const char *name, int count);

/* TensorFlow's cache of kernels: one more, and all gone. */
void frameworks_kernel_added(void);
void frameworks_kernels_cleared(void);

/* With the totals of a step: the counted types. */
void frameworks_write(struct ledger *ledger);

void frameworks_forked(void); /* a new process: nothing is in its ledger yet */

#endif /* TARE_PROBE_FRAMEWORKS_H */
