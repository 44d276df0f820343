/* line_table.h - the source line of an instruction of a Python function.
 *
 * The tables come from the interpreter, in one of three forms: byte and line deltas (3.9), ranges
 * (3.10, PEP 626), locations of variable length (3.11 and later). They may be forged: nothing is
 * read beyond their end.
 */
#ifndef TARE_BASE_LINE_TABLE_H
#define TARE_BASE_LINE_TABLE_H

#include <stdint.h>

#define LINE_TABLE_NOT_BEGUN 0xffffffffull /* as an offset: the function has not begun yet */

struct line_table {
    const uint8_t *bytes; /* NULL: none */
    uint64_t size;
    uint32_t first_line; /* of the function */
    unsigned minor;      /* of the interpreter's version */
};

/* `offset` in bytes. 0: the instruction has no line, or none is known. */
unsigned line_table_find(const struct line_table *table, uint64_t offset);

#endif /* TARE_BASE_LINE_TABLE_H */
