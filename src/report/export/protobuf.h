/* protobuf.h - the little of protocol buffers that is needed to write them.
 *
 * A message is a struct text that grows; one inside another is built first, then put in whole.
 */
#ifndef TARE_REPORT_PROTOBUF_H
#define TARE_REPORT_PROTOBUF_H

#include <stdint.h>

#include "base/text.h"

void protobuf_varint(struct text *to, uint64_t value);
void protobuf_number(struct text *to, unsigned field,
                     uint64_t value); /* 0 is left out: the default */
void protobuf_bytes(struct text *to, unsigned field, const char *bytes, size_t length);

/* Puts `inner` in as a message and empties it for the next. */
void protobuf_message(struct text *to, unsigned field, struct text *inner);

#endif /* TARE_REPORT_PROTOBUF_H */
