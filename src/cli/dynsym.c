/* dynsym.c - see dynsym.h.
 *
 * Node offers 70,000 names: to look at all of them takes longer than to start a small program. Those that are
 * offered are found by the hash table that the loader itself uses; the few that are only wanted come before
 * them. A file without that table is read from end to end.
 */
#include "cli/dynsym.h"

#include <elf.h>
#include <gelf.h>
#include <stdint.h>
#include <string.h>

struct names {
    Elf *elf;
    Elf_Data *symbols;
    size_t count, texts; /* symbols; section of their names */
    const uint32_t *hash; /* NULL: there is none */
    size_t words;
};

/* The words of the table: buckets, the first symbol in it, words of the filter, its shift; the filter, of
 * twice as many; buckets; one for each symbol. */
enum { BUCKETS, FIRST, FILTER, SHIFT, HEAD };

static void take(struct names *names, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);

    if (header->sh_type == SHT_DYNSYM && header->sh_entsize) {
        names->symbols = data;
        names->count = header->sh_size / header->sh_entsize;
        names->texts = header->sh_link;
    } else if (header->sh_type == SHT_GNU_HASH && data && data->d_size >= HEAD * sizeof(uint32_t)) {
        names->hash = data->d_buf;
        names->words = data->d_size / sizeof(uint32_t);
    }
}

static void find_tables(struct names *names)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(names->elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header))
            take(names, section, &header);
    }
}

static bool is_at(const struct names *names, size_t at, const char *name, bool defined)
{
    GElf_Sym symbol;
    const char *text;

    if (at >= names->count || !gelf_getsym(names->symbols, (int)at, &symbol) ||
        (defined && symbol.st_shndx == SHN_UNDEF))
        return false;
    text = elf_strptr(names->elf, names->texts, symbol.st_name);
    return text && strcmp(text, name) == 0;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;

    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool is_offered(const struct names *names, const char *name)
{
    const uint32_t *hash = names->hash, wanted = hash_of(name);
    const size_t buckets = HEAD + 2 * (size_t)hash[FILTER], chains = buckets + hash[BUCKETS];
    size_t at;

    if (hash[BUCKETS] == 0 || chains > names->words)
        return false;
    at = hash[buckets + wanted % hash[BUCKETS]];
    for (; at >= hash[FIRST] && at - hash[FIRST] < names->words - chains; at++) {
        const uint32_t found = hash[chains + at - hash[FIRST]];

        if ((found | 1) == (wanted | 1) && is_at(names, at, name, true))
            return true;
        if (found & 1)
            break;
    }
    return false;
}

bool dynsym_has(Elf *elf, const char *name, bool defined)
{
    struct names names = {.elf = elf};
    size_t unsorted;

    find_tables(&names);
    if (!names.symbols)
        return false;
    unsorted = names.hash && names.hash[FIRST] < names.count ? names.hash[FIRST] : names.count;
    for (size_t i = 1; i < unsorted; i++)
        if (is_at(&names, i, name, defined))
            return true;
    return names.hash && is_offered(&names, name);
}
