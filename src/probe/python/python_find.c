/* python_find.c - see python_find.h. */
#include "probe/python/python_find.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "probe/core/elf_symbol.h"
#include "probe/unwind/module_place.h"

struct wanted {
    const char *name;
    size_t field; /* offset in struct python_symbols */
};

static const char evaluating[] = "_PyEval_EvalFrameDefault";

static const struct wanted wanted[] = {
#define SYMBOL(field, name) {name, offsetof(struct python_symbols, field)},
#define FUNCTION(name)
#include "probe/python/python_symbols.def"
#undef SYMBOL
#undef FUNCTION
};

/* As the loader does, the first module that has a symbol gives it. */
static void look_up_all(const struct symbol_table *table, struct python_symbols *out)
{
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        uintptr_t *address = (uintptr_t *)(void *)((char *)out + wanted[i].field);

        if (*address == 0)
            *address = elf_symbol_find(table, wanted[i].name);
    }
    if (out->evaluate_size == 0)
        (void)elf_symbol_find_sized(table, evaluating, &out->evaluate_size);
}

static bool complete(const struct python_symbols *symbols)
{
    return symbols->this_state && symbols->is_initialized && symbols->code_type &&
           symbols->text_type && symbols->bytes_type && (symbols->version || symbols->get_version);
}

static int look_in_module(struct dl_phdr_info *info, size_t size, void *out)
{
    struct symbol_table table;

    (void)size;
    if (elf_symbol_table(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &table))
        look_up_all(&table, out);
    return 0;
}

bool python_find(struct python_symbols *out)
{
    memset(out, 0, sizeof(*out));
    (void)dl_iterate_phdr(look_in_module, out);
    return complete(out);
}

bool python_find_in(uintptr_t start, uintptr_t base, struct python_symbols *out)
{
    struct symbol_table table;

    memset(out, 0, sizeof(*out));
    if (elf_symbol_table_at(start, base, &table))
        look_up_all(&table, out);
    return complete(out);
}

/* ---- other functions ---- */

struct search {
    const char *name;
    uintptr_t except, found;
};

static uintptr_t look_for(uintptr_t base, const Elf64_Phdr *segments, unsigned count,
                          const char *name)
{
    struct symbol_table table;

    return elf_symbol_table(base, segments, count, &table) ? elf_symbol_find(&table, name) : 0;
}

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD &&
            address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}

static int search_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;

    (void)size;
    if (!holds(info, search->except))
        search->found =
            look_for(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, search->name);
    return search->found != 0;
}

uintptr_t python_find_anywhere(const char *name, uintptr_t except)
{
    struct search search = {.name = name, .except = except};

    (void)dl_iterate_phdr(search_module, &search);
    return search.found;
}

static bool copy_here(void *to, uintptr_t from, size_t size)
{
    memcpy(to, (const void *)from, size);
    return true;
}

uintptr_t python_find_from(uintptr_t address, const char *name)
{
    struct module_place place;
    const Elf64_Ehdr *header;
    uintptr_t base, path;

    if (module_place_is_snapshot() || !module_place_find(address, &place) ||
        !module_place_describe(&place, copy_here, &base, &path))
        return 0;
    header = (const Elf64_Ehdr *)place.start;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phoff >= 4096)
        return 0;
    return look_for(base, (const Elf64_Phdr *)(place.start + header->e_phoff), header->e_phnum,
                    name);
}
