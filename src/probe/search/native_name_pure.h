/* native_name_pure.h - the plain name of a C++ class from the name that its type information has.
 *
 * Only as much of the encoding as class names need: nested and plain names, templates left out.
 */
#ifndef TARE_PROBE_NATIVE_NAME_PURE_H
#define TARE_PROBE_NATIVE_NAME_PURE_H

#include <stdbool.h>
#include <stddef.h>

/* "N5torch8autograd9generated13AddmmBackward0E" gives "AddmmBackward0". False: it is not a
 * class. */
bool native_name(const char *encoded, char *to, size_t size);

#endif /* TARE_PROBE_NATIVE_NAME_PURE_H */
