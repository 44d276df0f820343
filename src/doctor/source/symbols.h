/* symbols.h - native addresses to functions, files and lines, from the files on this machine.
 *
 * A file is used only if its build-id is the one the program ran with. Nothing is fetched from the
 * network (debuginfod is switched off). Answers are kept per module and offset, and lie in the
 * arena given at the start.
 */
#ifndef TARE_DOCTOR_SYMBOLS_H
#define TARE_DOCTOR_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOLS_INLINE_MAX 32 /* functions inlined into each other at one address */

struct arena; /* base/arena.h */
struct symbols;
struct symbols_module;

struct symbol {
    const char *file;     /* NULL: not known */
    unsigned line;        /* 0: not known */
    const char *function; /* demangled; NULL: not known */
    const char *linkage;  /* as the linker spells it; NULL: not known */
    bool inlined;         /* into the one that follows */
};

struct symbols *symbols_new(struct arena *arena); /* NULL: no memory */
void symbols_free(struct symbols *symbols);       /* accepts NULL */

/* The module with this path and build-id, opened on first use; NULL: no memory. */
struct symbols_module *symbols_open(struct symbols *symbols, const char *path,
                                    const uint8_t *build_id, size_t build_id_size);

/* Why nothing can be said about it, one sentence; NULL: its file is at hand. */
const char *symbols_problem(const struct symbols_module *module);

/* What is at `address`, as the file counts addresses; innermost inlined function first. The number
 * of entries in *out, 0: nothing is known. */
size_t symbols_find(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                    const struct symbol **out);

/* Only the source files of what is at `address`, by its debug information. */
void symbols_files(struct symbols_module *module, uint64_t address,
                   void (*visit)(const char *file, void *with), void *with);

/* The variable that holds `address`. False: nothing is known of one. */
bool symbols_variable(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                      struct symbol *out);

/* A C++ name as people write it, or `linkage` itself. */
const char *symbols_demangle(struct symbols *symbols, const char *linkage);

#endif /* TARE_DOCTOR_SYMBOLS_H */
