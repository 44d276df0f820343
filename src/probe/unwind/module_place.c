/* module_place.c - see the header. */
#include "probe/unwind/module_place.h"

#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "probe/core/symbol.h"

/* As glibc's struct dl_find_object on x86-64, which older headers lack. */
struct found_object {
    unsigned long long flags;
    void *start, *end;
    struct link_map *map;
    void *eh_frame;
    unsigned long long reserved[7];
};

typedef int find_object_fn(void *pc, struct found_object *found);

static find_object_fn *find_object; /* written at the start; NULL: by snapshot */

/* The whole executable; identity 0: not known. If it has holes, glibc reports only the segment around an
 * address. Only the kernel makes holes, so no other module has any. */
static struct module_place program;

static bool find_by_loader(find_object_fn *find, uintptr_t pc, struct module_place *place)
{
    struct found_object found;

    if (find((void *)pc, &found) != 0)
        return false;
    place->start = (uintptr_t)found.start;
    place->end = (uintptr_t)found.end;
    place->header = (uintptr_t)found.eh_frame;
    place->identity = (uintptr_t)found.map;
    if (place->identity == program.identity) {
        place->start = program.start;
        place->end = program.end;
    }
    return true;
}

static void measure_program(find_object_fn *find)
{
    const ElfW(Phdr) *const segments = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    const size_t count = getauxval(AT_PHNUM);
    struct module_place place;
    uintptr_t base, low = UINTPTR_MAX, high = 0;

    if (!segments || !find_by_loader(find, (uintptr_t)segments, &place))
        return;
    base = ((const struct link_map *)place.identity)->l_addr;
    for (size_t i = 0; i < count; i++) {
        const uintptr_t at = base + segments[i].p_vaddr;

        if (segments[i].p_type != PT_LOAD)
            continue;
        low = at < low ? at & ~4095ul : low;
        high = at + segments[i].p_memsz > high ? at + segments[i].p_memsz : high;
    }
    if (low <= place.start && place.end <= high + 4095) {
        program = place;
        program.start = low;
        program.end = high;
    }
}

static bool finds_itself(find_object_fn *find)
{
    const uintptr_t here = (uintptr_t)&module_place_init;
    struct module_place place;

    return find_by_loader(find, here, &place) && place.start <= here && here < place.end &&
           place.identity != 0;
}

void module_place_init(void)
{
    void *const symbol = symbol_look(RTLD_DEFAULT, "_dl_find_object");
    find_object_fn *const find = (find_object_fn *)(uintptr_t)symbol;

    if (find && finds_itself(find)) {
        measure_program(find);
        find_object = find;
    } else {
        module_place_use_snapshot();
    }
}

void module_place_use_snapshot(void)
{
    find_object = NULL;
    module_snapshot_take();
}

bool module_place_is_snapshot(void)
{
    return !find_object;
}

void module_place_refresh(void)
{
    if (!find_object)
        module_snapshot_take();
}

bool module_place_find(uintptr_t pc, struct module_place *place)
{
    return find_object ? find_by_loader(find_object, pc, place) : module_snapshot_find(pc, place);
}

bool module_place_describe(const struct module_place *place, self_copy_fn *copy, uintptr_t *base,
                           uintptr_t *name)
{
    struct link_map map; /* the public part of it */

    if (!find_object)
        return module_snapshot_describe(place, base, name);
    if (!copy(&map, place->identity, sizeof(map)))
        return false;
    *base = map.l_addr;
    *name = (uintptr_t)map.l_name;
    return true;
}
