/* eh_cursor_pure.h - read the numbers of an unwind table, one after the other, and never past its
 * end. A cursor that failed once stays failed and gives zeros, so callers check once. */
#ifndef TARE_PROBE_EH_CURSOR_PURE_H
#define TARE_PROBE_EH_CURSOR_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EH_WINDOW 64

/* The bytes low..high-1 may be read; `copy` may still refuse them. */
struct eh_memory {
    uintptr_t low, high;
    bool (*copy)(void *to, uintptr_t from, size_t size);
};

struct eh_cursor {
    const struct eh_memory *memory;
    uintptr_t at, end;
    uintptr_t window_at; /* the bytes of the window were copied from here */
    uint32_t window_size;
    bool failed;
    uint8_t window[EH_WINDOW];
};

/* How a pointer is written: the low four bits are the format, the next three what it is counted
 * from, the highest that it is the address of the pointer. */
enum eh_encoding { EH_ABSOLUTE = 0x00, EH_FROM_HERE = 0x10, EH_FROM_DATA = 0x30, EH_OMITTED = 0xff };

void eh_cursor_init(struct eh_cursor *cursor, const struct eh_memory *memory, uintptr_t at,
                    uintptr_t end);
uint64_t eh_cursor_number(struct eh_cursor *cursor, unsigned bytes); /* little-endian, 1 to 8 */
uint64_t eh_cursor_uleb(struct eh_cursor *cursor);
int64_t eh_cursor_sleb(struct eh_cursor *cursor);
void eh_cursor_skip(struct eh_cursor *cursor, uint64_t bytes);

/* A number in the format of an encoding, sign-extended where the format is signed. */
uint64_t eh_cursor_format(struct eh_cursor *cursor, uint8_t encoding);

/* The pointer itself; one that must be dereferenced fails. `data` is the base of EH_FROM_DATA. */
uintptr_t eh_cursor_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data);

/* Reads the length at the cursor and ends the cursor after the entry. False: broken, or the end
 * of the table. */
bool eh_cursor_enter(struct eh_cursor *cursor);

#endif /* TARE_PROBE_EH_CURSOR_PURE_H */
