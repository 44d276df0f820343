/* pack.h - a stream that writes its bytes to another stream, compressed (zlib) and in base64. */
#ifndef TARE_REPORT_PACK_H
#define TARE_REPORT_PACK_H

#include <stdio.h>

#include "base/err.h"

/* The caller writes to it and closes it with fclose(), which leaves `out` open. `out` is borrowed until then.
 * If writing to `out` fails, fclose() fails and ferror(out) is set. NULL: no memory. */
FILE *pack_open(FILE *out);

#endif /* TARE_REPORT_PACK_H */
