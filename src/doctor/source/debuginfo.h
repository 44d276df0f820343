/* debuginfo.h - which functions contain an address, from the debug information of one module.
 *
 * Units are found by their address ranges, functions by an index that is made once per unit: a unit
 * of a C++ program has a hundred thousand entries, and a report looks up hundreds of addresses.
 */
#ifndef TARE_DOCTOR_DEBUGINFO_H
#define TARE_DOCTOR_DEBUGINFO_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

#include "doctor/source/symbol.h"

struct arena; /* base/arena.h */
struct debuginfo;

/* NULL: no memory. `module` and `arena` are borrowed for its life. */
struct debuginfo *debuginfo_new(Dwfl_Module *module, struct arena *arena);
void debuginfo_free(struct debuginfo *info); /* accepts NULL */

/* Innermost first into out[SYMBOLS_INLINE_MAX]; `function` is left NULL where only the linkage
 * name is known. The number of entries; 0: no debug information covers the address. */
size_t debuginfo_find(struct debuginfo *info, uint64_t address, struct symbol *out);

#endif /* TARE_DOCTOR_DEBUGINFO_H */
