/* protobuf.c - see protobuf.h. */
#include "report/export/protobuf.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf_varint(struct text *to, uint64_t value)
{
    char bytes[10];
    size_t length = 0;

    do {
        bytes[length++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    text_add(to, bytes, length);
}

void protobuf_number(struct text *to, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    protobuf_varint(to, (uint64_t)field << 3 | WIRE_VARINT);
    protobuf_varint(to, value);
}

void protobuf_bytes(struct text *to, unsigned field, const char *bytes, size_t length)
{
    protobuf_varint(to, (uint64_t)field << 3 | WIRE_BYTES);
    protobuf_varint(to, length);
    if (length > 0)
        text_add(to, bytes, length);
}

void protobuf_message(struct text *to, unsigned field, struct text *inner)
{
    to->failed |= inner->failed;
    protobuf_bytes(to, field, text_string(inner), inner->length);
    inner->length = 0;
}
