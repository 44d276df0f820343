/* module_snapshot.c - see the header.
 *
 * Two lists: one is being read while the other is filled, then they change places. A reader that
 * is still in the old list when it is filled again, two snapshots later, may see a mixture; what it
 * then finds is only ever read by copy (module_place_is_snapshot), so it may be wrong but cannot
 * fault.
 */
#include "probe/unwind/module_snapshot.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>

#define SNAPSHOT_MAX 2048

struct spot {
    struct module_place place;
    uintptr_t base, name;
};

struct list {
    unsigned count; /* atomic: released by module_snapshot_take, acquired by find_spot */
    struct spot spots[SNAPSHOT_MAX];
};

static struct list lists[2];
static unsigned current; /* atomic: released by module_snapshot_take, acquired by find_spot */
static bool taking;      /* atomic: one at a time */

static int note_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct list *list = argument;
    struct spot *spot = &list->spots[list->count];
    uintptr_t low = UINTPTR_MAX, high = 0;

    (void)size;
    if (list->count == SNAPSHOT_MAX)
        return 1;
    *spot = (struct spot){.base = info->dlpi_addr, .name = (uintptr_t)info->dlpi_name};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t at = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD && at < low)
            low = at & ~4095ul;
        if (segment->p_type == PT_LOAD && at + segment->p_memsz > high)
            high = at + segment->p_memsz;
        if (segment->p_type == PT_GNU_EH_FRAME)
            spot->place.header = at;
    }
    spot->place.start = low;
    spot->place.end = high;
    spot->place.identity = (uintptr_t)info->dlpi_phdr;
    list->count += low < high;
    return 0;
}

void module_snapshot_take(void)
{
    const unsigned next = !__atomic_load_n(&current, __ATOMIC_RELAXED);

    if (__atomic_test_and_set(&taking, __ATOMIC_ACQUIRE))
        return;
    lists[next].count = 0;
    (void)dl_iterate_phdr(note_module, &lists[next]);
    __atomic_store_n(&current, next, __ATOMIC_RELEASE);
    __atomic_clear(&taking, __ATOMIC_RELEASE);
}

static const struct spot *find_spot(uintptr_t pc)
{
    const struct list *list = &lists[__atomic_load_n(&current, __ATOMIC_ACQUIRE)];

    for (unsigned i = 0; i < list->count && i < SNAPSHOT_MAX; i++)
        if (pc >= list->spots[i].place.start && pc < list->spots[i].place.end)
            return &list->spots[i];
    return NULL;
}

bool module_snapshot_find(uintptr_t pc, struct module_place *place)
{
    const struct spot *spot = find_spot(pc);

    if (spot)
        *place = spot->place;
    return spot != NULL;
}

bool module_snapshot_describe(const struct module_place *place, uintptr_t *base, uintptr_t *name)
{
    const struct spot *spot = find_spot(place->start);

    if (!spot)
        return false;
    *base = spot->base;
    *name = spot->name;
    return true;
}
