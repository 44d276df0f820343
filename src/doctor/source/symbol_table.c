/* symbol_table.c - see symbol_table.h. */
#include "doctor/source/symbol_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sorted.h"
#include "base/text.h"

/* Bytes that a function of unknown size may have; such functions are usually written by hand. */
#define UNSIZED_MOST 4096
/* Bytes after a function up to which its name helps: what is not exported mostly lies beside its caller. */
#define NEAR_MOST 65536

struct entry {
    uint64_t start, size; /* of the function; size 0: the symbol table does not say */
    const char *name; /* borrowed from the module's file */
    uint32_t rank;    /* of several names at one address, the one with the highest rank is shown */
};

struct symbol_table {
    struct entry *entries; /* owned, sorted by start, then rank */
    uint64_t *furthest;    /* owned; for each entry the highest end of it and those before it */
    size_t count;          /* of both */
};

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* A symbol with a size ranks above one without; a global one above a weak one, and that above a local one. */
static uint32_t rank_of(const GElf_Sym *symbol)
{
    const unsigned bind = GELF_ST_BIND(symbol->st_info);

    return (symbol->st_size > 0 ? 4u : 0u) + (bind == STB_GLOBAL ? 2u : bind == STB_WEAK ? 1u : 0u);
}

/* The linker's own: each is alone in a section, and what follows is in another. */
static bool begins_section(const char *name)
{
    return text_is(name, "_init") || text_is(name, "_fini");
}

static bool is_function(const GElf_Sym *symbol, const char *name)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info);

    return name && name[0] && symbol->st_shndx != SHN_UNDEF && symbol->st_value > 0 &&
           !begins_section(name) && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static void fill(struct symbol_table *table, Dwfl_Module *elf, int count)
{
    uint64_t furthest = 0;

    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(elf, i, &symbol, &address, NULL, NULL, NULL);

        if (is_function(&symbol, name))
            table->entries[table->count++] =
                (struct entry){address, symbol.st_size, name, rank_of(&symbol)};
    }
    qsort(table->entries, table->count, sizeof(*table->entries), compare);
    for (size_t i = 0; i < table->count; i++) {
        const struct entry *entry = &table->entries[i];
        const uint64_t end = entry->start + (entry->size ? entry->size : UNSIZED_MOST);

        furthest = end > furthest ? end : furthest;
        table->furthest[i] = furthest;
    }
}

struct symbol_table *symbol_table_new(Dwfl_Module *elf)
{
    const int count = dwfl_module_getsymtab(elf);
    struct symbol_table *table = count > 0 ? mem_zalloc(sizeof(*table)) : NULL;

    if (!table)
        return NULL;
    table->entries = mem_zalloc_array((size_t)count, sizeof(*table->entries));
    table->furthest = mem_zalloc_array((size_t)count, sizeof(*table->furthest));
    if (!table->entries || !table->furthest) {
        symbol_table_free(table);
        return NULL;
    }
    fill(table, elf, count);
    return table;
}

void symbol_table_free(struct symbol_table *table)
{
    if (!table)
        return;
    mem_free(table->entries);
    mem_free(table->furthest);
    mem_free(table);
}

static bool begins_by(const void *entry, const void *address)
{
    return ((const struct entry *)entry)->start <= *(const uint64_t *)address;
}

const char *symbol_table_find(const struct symbol_table *table, uint64_t address)
{
    const char *near = NULL;
    size_t at =
        sorted_before(table->entries, table->count, sizeof(*table->entries), begins_by, &address);
    const uint64_t nearest = at > 0 ? table->entries[at - 1].start : 0;

    for (; at > 0 && table->furthest[at - 1] > address; at--) {
        const struct entry *entry = &table->entries[at - 1];

        if (entry->size > 0 && address - entry->start < entry->size)
            return entry->name;
        if (entry->size == 0 && entry->start == nearest && address - nearest < UNSIZED_MOST && !near)
            near = entry->name;
    }
    return near;
}

const char *symbol_table_near(const struct symbol_table *table, uint64_t address, uint64_t *distance)
{
    const size_t at =
        sorted_before(table->entries, table->count, sizeof(*table->entries), begins_by, &address);

    if (at == 0 || address - table->entries[at - 1].start > NEAR_MOST)
        return NULL;
    *distance = address - table->entries[at - 1].start;
    return table->entries[at - 1].name;
}
