/* symbols.h - native addresses to functions, files and lines, from the files on this machine.
 *
 * A file is used only if it has the build-id that the program ran with. Nothing is fetched from the
 * network (debuginfod is switched off). Each address of a module is looked up once; results are in the
 * arena given to symbols_new.
 */
#ifndef TARE_DOCTOR_SYMBOLS_H
#define TARE_DOCTOR_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doctor/source/symbol.h"

struct arena; /* base/arena.h */
struct symbols;
struct symbols_module;

struct symbols *symbols_new(struct arena *arena); /* NULL: no memory */
void symbols_free(struct symbols *symbols);       /* accepts NULL */

/* The module with this path and build-id, opened on first use; NULL: no memory. */
struct symbols_module *symbols_open(struct symbols *symbols, const char *path,
                                    const uint8_t *build_id, size_t build_id_size);

/* Why the module's file cannot be used, as a sentence; NULL: it can. */
const char *symbols_problem(const struct symbols_module *module);

/* The functions at `address` (an address in the file), the innermost inlined one first. Returns the
 * number of entries in *out; 0: nothing is known. */
size_t symbols_find(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                    const struct symbol **out);

/* Where symbols_find knows nothing: the nearest function before `address` that the module names, and how
 * far before. NULL: there is none. */
const char *symbols_near(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                         uint64_t *distance);

/* Calls `visit` for the source files of the functions at `address`, from debug information. */
void symbols_files(struct symbols_module *module, uint64_t address,
                   void (*visit)(const char *file, void *with), void *with);

/* The variable that contains `address`. False: none is known. */
bool symbols_variable(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                      struct symbol *out);

/* A C++ name, demangled, or `linkage` itself. */
const char *symbols_demangle(struct symbols *symbols, const char *linkage);

#endif /* TARE_DOCTOR_SYMBOLS_H */
