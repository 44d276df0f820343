/* find_object.c - see find_object.h. */
#include "probe/core/find_object.h"

#include <link.h>

struct search {
    uintptr_t address;
    struct found_object *out;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    uintptr_t start = UINTPTR_MAX, end = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + header->p_vaddr;

        if (header->p_type != PT_LOAD)
            continue;
        start = from < start ? from : start;
        end = from + header->p_memsz > end ? from + header->p_memsz : end;
    }
    if (search->address < start || search->address >= end)
        return 0;
    *search->out = (struct found_object){start, end, info->dlpi_name ? info->dlpi_name : ""};
    return 1;
}

bool find_object(const void *address, struct found_object *out)
{
    struct search search = {(uintptr_t)address, out};

    return dl_iterate_phdr(look, &search) == 1;
}
