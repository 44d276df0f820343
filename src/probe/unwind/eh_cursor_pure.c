/* eh_cursor_pure.c - see the header. Bytes come through a small window, so that one that may only be
 * copied by the kernel costs a call per window and not one per byte. */
#include "probe/unwind/eh_cursor_pure.h"

void eh_cursor_init(struct eh_cursor *cursor, const struct eh_memory *memory, uintptr_t at,
                    uintptr_t end)
{
    cursor->memory = memory;
    cursor->at = at;
    cursor->end = end < memory->high ? end : memory->high;
    cursor->window_at = 0;
    cursor->window_size = 0;
    cursor->failed = at < memory->low || at > cursor->end;
}

static bool refill(struct eh_cursor *cursor)
{
    const uintptr_t left = cursor->end - cursor->at;
    const uint32_t size = left < EH_WINDOW ? (uint32_t)left : EH_WINDOW;

    cursor->window_size = 0;
    if (!cursor->memory->copy(cursor->window, cursor->at, size))
        return false;
    cursor->window_at = cursor->at;
    cursor->window_size = size;
    return true;
}

static uint8_t next_byte(struct eh_cursor *cursor)
{
    if (cursor->failed || cursor->at >= cursor->end) {
        cursor->failed = true;
        return 0;
    }
    if (cursor->at - cursor->window_at >= cursor->window_size && !refill(cursor)) {
        cursor->failed = true;
        return 0;
    }
    return cursor->window[cursor->at++ - cursor->window_at];
}

uint64_t eh_cursor_number(struct eh_cursor *cursor, unsigned bytes)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)next_byte(cursor) << (8 * i);
    return number;
}

/* The bits of a LEB128 number; how many there were goes to `bits`. Ten bytes hold any 64 bits. */
static uint64_t leb(struct eh_cursor *cursor, unsigned *bits)
{
    uint64_t number = 0;
    uint8_t byte = 0x80;

    for (*bits = 0; byte & 0x80 && *bits < 70; *bits += 7) {
        byte = next_byte(cursor);
        if (*bits < 64)
            number |= (uint64_t)(byte & 0x7f) << *bits;
    }
    cursor->failed |= (byte & 0x80) != 0;
    return number;
}

uint64_t eh_cursor_uleb(struct eh_cursor *cursor)
{
    unsigned bits;

    return leb(cursor, &bits);
}

int64_t eh_cursor_sleb(struct eh_cursor *cursor)
{
    unsigned bits;
    uint64_t number = leb(cursor, &bits);

    if (bits < 64 && number >> (bits - 1) & 1)
        number |= ~0ull << bits;
    return (int64_t)number;
}

void eh_cursor_skip(struct eh_cursor *cursor, uint64_t bytes)
{
    if (cursor->failed || bytes > cursor->end - cursor->at)
        cursor->failed = true;
    else
        cursor->at += bytes;
}

static uint64_t sign_extended(uint64_t number, unsigned bytes)
{
    const uint64_t sign = 1ull << (8 * bytes - 1);

    return (number ^ sign) - sign;
}

uint64_t eh_cursor_format(struct eh_cursor *cursor, uint8_t encoding)
{
    switch (encoding & 0x0f) {
    case 0x00: /* a machine word */
    case 0x04:
    case 0x0c:
        return eh_cursor_number(cursor, 8);
    case 0x01:
        return eh_cursor_uleb(cursor);
    case 0x02:
        return eh_cursor_number(cursor, 2);
    case 0x03:
        return eh_cursor_number(cursor, 4);
    case 0x09:
        return (uint64_t)eh_cursor_sleb(cursor);
    case 0x0a:
        return sign_extended(eh_cursor_number(cursor, 2), 2);
    case 0x0b:
        return sign_extended(eh_cursor_number(cursor, 4), 4);
    default:
        cursor->failed = true;
        return 0;
    }
}

uintptr_t eh_cursor_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data)
{
    const uintptr_t here = cursor->at;
    const uint64_t number = eh_cursor_format(cursor, encoding);

    switch (encoding & 0xf0) {
    case EH_ABSOLUTE:
        return number;
    case EH_FROM_HERE:
        return here + number;
    case EH_FROM_DATA:
        return data + number;
    default:
        cursor->failed = true;
        return 0;
    }
}

bool eh_cursor_enter(struct eh_cursor *cursor)
{
    uint64_t length = eh_cursor_number(cursor, 4);

    if (length == 0xffffffff)
        length = eh_cursor_number(cursor, 8);
    if (cursor->failed || length == 0 || length > cursor->end - cursor->at)
        return false;
    cursor->end = cursor->at + length;
    return true;
}
