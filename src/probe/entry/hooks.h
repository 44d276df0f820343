/* hooks.h - what hooks do at the request of other files of this room. */
#ifndef TARE_PROBE_HOOKS_H
#define TARE_PROBE_HOOKS_H

#include <stdbool.h>

#include "ledger/writer.h"

/* Where the loader's lock may be taken: at an import. They look up the functions that hooks stand for. */
void hooks_torch_resolve(void);      /* PyTorch is loaded */
bool hooks_tensorflow_resolve(void); /* false: no library defines TensorFlow's pool */

void hooks_driver_setup(void);  /* at the start: does anyone else stand between programs and their drivers? */
void hooks_driver_forked(void); /* a new process has a ledger of its own */

/* With the record of a step: says in the ledger, once, if drivers are left alone. */
void hooks_driver_write(struct ledger *ledger);

/* A library was unloaded; it may have been a driver. */
void hooks_driver_unloaded(void);

#endif /* TARE_PROBE_HOOKS_H */
