/* module_place.h - which module an address belongs to, without taking the loader's lock.
 *
 * By glibc's _dl_find_object (2.35 and later), which takes none; with an older one by a snapshot
 * (module_snapshot.h) that knows the modules of the moment it was taken.
 */
#ifndef TARE_PROBE_MODULE_PLACE_H
#define TARE_PROBE_MODULE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/unwind/module_snapshot.h"

#define MODULE_ID_MAX 24

typedef bool self_copy_fn(void *to, uintptr_t from, size_t size);

/* Read from the mapped file itself; distinguishes it from another file at the same place. */
struct module_elf {
    uintptr_t table_low, table_high; /* the readable segment with the unwind tables */
    uintptr_t id_at;                 /* where the build id lies */
    uint64_t sections;               /* file offset of the section table */
    uint32_t id_size;
    uint8_t id[MODULE_ID_MAX];
};

/* At probe start, where dlsym may still be called: chooses the way, after a self-test. */
void module_place_init(void);

/* True when what is found may be out of date: then even a module on our stack is read by copy. */
bool module_place_is_snapshot(void);

/* For tests, and for glibc before 2.35. */
void module_place_use_snapshot(void);

/* Takes a new snapshot where one is used; else does nothing. Takes the loader's lock. */
void module_place_refresh(void);

bool module_place_find(uintptr_t pc, struct module_place *place);

/* The load bias, and the address of the name. */
bool module_place_describe(const struct module_place *place, self_copy_fn *copy, uintptr_t *base,
                           uintptr_t *name);

/* False: there is no ELF header to be seen; `elf` is then all zeros. */
bool module_elf_read(const struct module_place *place, uintptr_t base, self_copy_fn *copy,
                     struct module_elf *elf);

/* Whether another file is now mapped here. False also when that cannot be read. */
bool module_elf_changed(const struct module_elf *elf, uintptr_t start, self_copy_fn *copy);

#endif /* TARE_PROBE_MODULE_PLACE_H */
