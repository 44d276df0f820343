/* modules.h - the executable and the libraries that were seen on a stack.
 *
 * Each is remembered here for good, also without a ledger, and written to the ledger's module
 * section. No heap, no lock that is waited for without end, no call that takes the loader's lock.
 *
 * A module's number, here, is 1 + its index in a private table; it stays the same in a forked child.
 * Its unit is the number of its record in the ledger, 0 while there is none.
 */
#ifndef TARE_PROBE_MODULES_H
#define TARE_PROBE_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/unwind/eh_frame_pure.h"
#include "probe/unwind/row_cache_pure.h"

/* What a walk needs to name an address. */
struct module_face {
    uintptr_t base; /* written before its number is given out */
    uint32_t unit;  /* atomic */
};

/* Where the unwind tables of a module are. */
struct module_view {
    unsigned number;  /* 0: there was no room to remember it */
    uintptr_t header; /* of the tables, 0: none */
    struct eh_memory memory;
};

/* By number. */
extern struct module_face modules_faces[ROW_MODULES];

/* A module seen for the first time, or again after something was unloaded. It stays loaded
 * during the call. `start`: where its file is mapped. `path` is not terminated. The call must
 * not search for a module. */
typedef void modules_seen_fn(uintptr_t start, uintptr_t base, const char *path, size_t length);

/* At probe start: sets the functions to call for new modules. */
void modules_on_seen(modules_seen_fn *call);

/* At probe start, in the main thread, before other threads: the only place where dlsym is called. */
void modules_setup(void);

/* Writes all modules to this ledger, and from now on the new ones too. NULL: there is none (any
 * more). In a forked child call it with the child's ledger before the first walk. The ledger must
 * stay open until it is replaced here. */
void modules_use(struct ledger *ledger);
void modules_forked(void); /* a new process has no ledger yet */

/* At a step boundary: finds out which modules were unloaded. About a microsecond per module. */
void modules_check(uint64_t ordinal);

/* A dlclose has returned: what is known about addresses must be read again. */
void modules_forget(void);

/* Changes when addresses may have changed their meaning; 0 before modules_setup. */
uint32_t modules_generation(void);

/* The module of a pc. `pinned`: the pc is known to be on our own stack, so the module cannot be
 * unloaded during the call and is read directly. Otherwise it is read by copy. */
bool modules_find(uintptr_t pc, bool pinned, struct module_view *view);

#endif /* TARE_PROBE_MODULES_H */
