/* symbol_table.h - the functions of a module by address, sorted once.
 *
 * libdw reads the whole table again for each address. With a million symbols and a few thousand
 * addresses, that takes minutes.
 */
#ifndef TARE_DOCTOR_SYMBOL_TABLE_H
#define TARE_DOCTOR_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

struct symbol_table;

/* NULL: no memory, or the module has no symbols. */
struct symbol_table *symbol_table_new(Dwfl_Module *elf);
void symbol_table_free(struct symbol_table *table); /* accepts NULL */

/* The linkage name of the function that contains the address, borrowed from the module; NULL: none does. */
const char *symbol_table_find(const struct symbol_table *table, uint64_t address);

/* The nearest function that begins before the address, and how many bytes before. NULL: there is none. */
const char *symbol_table_near(const struct symbol_table *table, uint64_t address, uint64_t *distance);

#endif /* TARE_DOCTOR_SYMBOL_TABLE_H */
