/* symbol_table.h - the functions of a module by address, sorted once.
 *
 * libdw goes through the whole table for each address; a library with a million symbols and a report
 * with a few thousand addresses takes minutes that way.
 */
#ifndef TARE_DOCTOR_SYMBOL_TABLE_H
#define TARE_DOCTOR_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

struct symbol_table;

/* NULL: out of memory, or a module without symbols. */
struct symbol_table *symbol_table_new(Dwfl_Module *elf);
void symbol_table_free(struct symbol_table *table);

/* The linkage name of the function around the address, borrowed from the module; NULL: none. */
const char *symbol_table_find(const struct symbol_table *table, uint64_t address);

#endif /* TARE_DOCTOR_SYMBOL_TABLE_H */
