/* module_elf.c - what the mapped file of a module says about itself (module_place.h). */
#include <elf.h>
#include <string.h>

#include "probe/unwind/module_place.h"

#define SEGMENTS_MAX 64
#define NOTES_MAX 4096 /* bytes */

static bool inside(const struct module_place *place, uintptr_t at, uint64_t size)
{
    return at >= place->start && at <= place->end && size <= place->end - at;
}

static bool read_file_header(uintptr_t start, self_copy_fn *copy, Elf64_Ehdr *header)
{
    return copy(header, start, sizeof(*header)) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_phentsize == sizeof(Elf64_Phdr);
}

static uint64_t rounded(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

/* Looks through one segment of notes for the build id. */
static void read_notes(uintptr_t at, uint64_t size, uint64_t align, self_copy_fn *copy,
                       struct module_elf *elf)
{
    while (size >= sizeof(Elf64_Nhdr) && elf->id_size == 0) {
        Elf64_Nhdr note;
        uint64_t body, whole;
        char name[4];

        if (!copy(&note, at, sizeof(note)))
            return;
        body = sizeof(note) + rounded(note.n_namesz, 4);
        whole = rounded(body + note.n_descsz, align);
        if (whole > size)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz > 0 &&
            copy(name, at + sizeof(note), 4) && memcmp(name, "GNU", 4) == 0) {
            const uint32_t length = note.n_descsz < MODULE_ID_MAX ? note.n_descsz : MODULE_ID_MAX;

            if (!copy(elf->id, at + body, length))
                return;
            elf->id_at = at + body;
            elf->id_size = length;
        }
        at += whole;
        size -= whole;
    }
}

static void read_segment(const struct module_place *place, uintptr_t base, const Elf64_Phdr *segment,
                         self_copy_fn *copy, struct module_elf *elf)
{
    const uintptr_t at = base + segment->p_vaddr;

    if (!inside(place, at, segment->p_filesz))
        return;
    if (segment->p_type == PT_NOTE && segment->p_filesz <= NOTES_MAX)
        read_notes(at, segment->p_filesz, segment->p_align == 8 ? 8 : 4, copy, elf);
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && place->header >= at &&
        place->header - at < segment->p_filesz) {
        elf->table_low = at;
        elf->table_high = at + segment->p_filesz;
    }
}

bool module_elf_read(const struct module_place *place, uintptr_t base, self_copy_fn *copy,
                     struct module_elf *elf)
{
    Elf64_Ehdr header;

    memset(elf, 0, sizeof(*elf));
    if (!inside(place, place->start, sizeof(header)) ||
        !read_file_header(place->start, copy, &header) || header.e_phnum > SEGMENTS_MAX ||
        header.e_phoff > 4096 - sizeof(header))
        return false;
    elf->sections = header.e_shoff;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        const uintptr_t at = place->start + header.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr segment;

        if (inside(place, at, sizeof(segment)) && copy(&segment, at, sizeof(segment)))
            read_segment(place, base, &segment, copy, elf);
    }
    return true;
}

bool module_elf_changed(const struct module_elf *elf, uintptr_t start, self_copy_fn *copy)
{
    Elf64_Ehdr header;
    uint8_t id[MODULE_ID_MAX];

    if (elf->sections == 0 && elf->id_size == 0)
        return false;
    if (!copy(&header, start, sizeof(header)))
        return false;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shoff != elf->sections)
        return true;
    return elf->id_size > 0 && copy(id, elf->id_at, elf->id_size) &&
           memcmp(id, elf->id, elf->id_size) != 0;
}
