/* counted_types.h - how many objects of a Python type there are, exactly, at the price of an
 * addition.
 *
 * The type's own functions that make and release an object are replaced by ones that count and then
 * call the original. Only for types made by C code: what a class statement makes shares its
 * functions with all others. Counted under the interpreter's lock; a free-threaded interpreter is
 * not supported.
 */
#ifndef TARE_PROBE_COUNTED_TYPES_H
#define TARE_PROBE_COUNTED_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* `name` is copied. Nothing happens when there is no room, or the type is counted already. */
void counted_type_add(void *type, const char *name);

unsigned counted_types(void);
/* Objects alive that were made since it was added; false: there is no such type. */
bool counted_type(unsigned index, const char **name, uint64_t *alive);

#endif /* TARE_PROBE_COUNTED_TYPES_H */
