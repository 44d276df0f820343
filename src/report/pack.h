/* pack.h - a stream whose bytes arrive compressed (zlib) and in base64 in another stream. */
#ifndef TARE_REPORT_PACK_H
#define TARE_REPORT_PACK_H

#include <stdio.h>

#include "base/err.h"

/* Write to it, then fclose() it, which leaves `out` open. NULL: no memory. `out` is borrowed until
 * then; what could not be written there is found by ferror(out), and fclose() fails. */
FILE *pack_open(FILE *out);

#endif /* TARE_REPORT_PACK_H */
