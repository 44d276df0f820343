/* elf_symbol.h - symbols that loaded modules export, read from their own tables as they are mapped.
 *
 * Not by dlsym: that takes the loader's lock, finds only what the caller may see, and for a name
 * that is not there it allocates and leaves an error that the program's own dlerror would return.
 */
#ifndef TARE_PROBE_ELF_SYMBOL_H
#define TARE_PROBE_ELF_SYMBOL_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* The symbol table of a module, as its dynamic section names it. */
struct symbol_table {
    uintptr_t base;
    const Elf64_Sym *symbols;
    const char *names;
    const uint32_t *hash; /* DT_GNU_HASH */
};

/* Finds the table by the program headers that the loader reports. */
bool elf_symbol_table(uintptr_t base, const Elf64_Phdr *segments, unsigned count,
                      struct symbol_table *table);

/* Searches one module, which cannot be unloaded during the call. `start`: where its file is
 * mapped. No lock. */
bool elf_symbol_table_at(uintptr_t start, uintptr_t base, struct symbol_table *table);

/* The address of a function or object that the module defines; 0: it does not. */
uintptr_t elf_symbol_find(const struct symbol_table *table, const char *name);
/* The same, and how many bytes it has. `size` may be NULL. */
uintptr_t elf_symbol_find_sized(const struct symbol_table *table, const char *name, uint64_t *size);

#endif /* TARE_PROBE_ELF_SYMBOL_H */
