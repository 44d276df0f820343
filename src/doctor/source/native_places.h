/* native_places.h - the native code that allocated for the line of the user.
 *
 * Of a Python or JavaScript stack: the native part of its blocks. Of a native stack: the functions of
 * libraries that the program's own code called. A function is named by debug information, else by the
 * symbols of its file, else by the nearest symbol before it.
 */
#ifndef TARE_DOCTOR_NATIVE_PLACES_H
#define TARE_DOCTOR_NATIVE_PLACES_H

#include <stddef.h>
#include <stdint.h>

struct arena;        /* base/arena.h */
struct model;        /* ledger/model.h */
struct native_place; /* doctor/facts/diagnosis.h */
struct symbols;      /* doctor/source/symbols.h */

struct native_names {
    const struct model *model, *own; /* the process; the run's own ledger with its packages, or NULL */
    struct symbols *symbols;
    struct arena *arena; /* owns the places */
};

/* The frames of this stack, innermost first. NULL and 0: it has none. */
void native_places_part(const struct native_names *names, uint32_t stack, const struct native_place **out,
                        size_t *count);

/* The frames of libraries at the inner end of a native stack, up to the first of the program's own code.
 * NULL and 0 if they do not come to one. */
void native_places_called(const struct native_names *names, uint32_t stack, const struct native_place **out,
                          size_t *count);

#endif /* TARE_DOCTOR_NATIVE_PLACES_H */
