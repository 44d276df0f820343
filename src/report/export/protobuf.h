/* protobuf.h - write protocol buffers.
 *
 * A message is a growing struct text. A message inside another is built first, then added as a whole.
 */
#ifndef TARE_REPORT_PROTOBUF_H
#define TARE_REPORT_PROTOBUF_H

#include <stdint.h>

#include "base/text.h"

void protobuf_varint(struct text *to, uint64_t value);
void protobuf_number(struct text *to, unsigned field,
                     uint64_t value); /* 0, the default, is left out */
void protobuf_bytes(struct text *to, unsigned field, const char *bytes, size_t length);

/* Adds `inner` as a message and empties it for the next. */
void protobuf_message(struct text *to, unsigned field, struct text *inner);

#endif /* TARE_REPORT_PROTOBUF_H */
