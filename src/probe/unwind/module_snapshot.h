/* module_snapshot.h - the modules of one moment, for glibc before 2.35, which has no
 * _dl_find_object.
 *
 * dl_iterate_phdr takes the loader's lock, so it may be called at the start and where the program
 * marks a step, never inside a hook. Modules that come in between are unknown until then: their
 * frames have no module and no unwind table.
 */
#ifndef TARE_PROBE_MODULE_SNAPSHOT_H
#define TARE_PROBE_MODULE_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

/* A module as module_place.h finds it, here or by the loader. */
struct module_place {
    uintptr_t start, end; /* of its mapping */
    uintptr_t header;     /* its .eh_frame_hdr, 0: none */
    uintptr_t identity;   /* the loader's own record of it; never dereferenced without a copy */
};

void module_snapshot_take(void);
bool module_snapshot_find(uintptr_t pc, struct module_place *place);
bool module_snapshot_describe(const struct module_place *place, uintptr_t *base, uintptr_t *name);

#endif /* TARE_PROBE_MODULE_SNAPSHOT_H */
