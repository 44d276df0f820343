/* elf_symbol.c - see elf_symbol.h. */
#include "probe/core/elf_symbol.h"

#include <string.h>

/* The loader turns these into addresses, except where the section cannot be written. */
static const void *pointed(uintptr_t base, uint64_t value)
{
    return (const void *)(value < base ? base + value : value);
}

static bool read_dynamic(uintptr_t base, const Elf64_Dyn *dynamic, struct symbol_table *table)
{
    *table = (struct symbol_table){.base = base};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_SYMTAB)
            table->symbols = pointed(base, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_STRTAB)
            table->names = pointed(base, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_GNU_HASH)
            table->hash = pointed(base, dynamic->d_un.d_ptr);
    }
    return table->symbols && table->names && table->hash;
}

bool elf_symbol_table(uintptr_t base, const Elf64_Phdr *segments, unsigned count,
                      struct symbol_table *table)
{
    for (unsigned i = 0; i < count; i++)
        if (segments[i].p_type == PT_DYNAMIC)
            return read_dynamic(base, (const Elf64_Dyn *)(base + segments[i].p_vaddr), table);
    return false;
}

bool elf_symbol_table_at(uintptr_t start, uintptr_t base, struct symbol_table *table)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;

    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_phoff < 4096 &&
           header->e_phentsize == sizeof(Elf64_Phdr) &&
           elf_symbol_table(base, (const Elf64_Phdr *)(start + header->e_phoff), header->e_phnum,
                            table);
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;

    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool is_here(const struct symbol_table *table, uint32_t index, const char *name)
{
    const Elf64_Sym *symbol = &table->symbols[index];
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);

    return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_OBJECT) &&
           strcmp(table->names + symbol->st_name, name) == 0;
}

/* The GNU hash table: counts, a filter of 64-bit words, buckets, and one chain of hashes beside the
 * symbols, whose lowest bit ends each bucket. */
uintptr_t elf_symbol_find_sized(const struct symbol_table *table, const char *name, uint64_t *size)
{
    const uint32_t buckets = table->hash[0], first = table->hash[1], words = table->hash[2];
    const uint64_t *filter = (const uint64_t *)(const void *)(table->hash + 4);
    const uint32_t *bucket = (const uint32_t *)(const void *)(filter + words);
    const uint32_t *chain = bucket + buckets, hash = hash_of(name);
    const uint64_t bits = 1ull << hash % 64 | 1ull << (hash >> table->hash[3]) % 64;
    uint32_t index;

    if (buckets == 0 || words == 0 || (filter[hash / 64 % words] & bits) != bits)
        return 0;
    index = bucket[hash % buckets];
    if (index < first)
        return 0;
    for (;; index++) {
        if ((chain[index - first] | 1) == (hash | 1) && is_here(table, index, name)) {
            if (size)
                *size = table->symbols[index].st_size;
            return table->base + table->symbols[index].st_value;
        }
        if (chain[index - first] & 1)
            return 0;
    }
}

uintptr_t elf_symbol_find(const struct symbol_table *table, const char *name)
{
    return elf_symbol_find_sized(table, name, NULL);
}
