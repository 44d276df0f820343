/* line_table.c - see line_table.h. */
#include "base/line_table.h"

#include <stddef.h>

#define NO_LINE INT64_MIN

struct bytes {
    const uint8_t *at, *end;
};

static unsigned next_byte(struct bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static int signed_byte(unsigned byte)
{
    return byte < 128 ? (int)byte : (int)byte - 256;
}

/* 3.9: pairs of (bytes of code, lines). A delta belongs to the instructions that begin after it. */
static int64_t line_by_deltas(struct bytes table, int64_t line, uint64_t offset)
{
    uint64_t address = 0;

    while (table.at < table.end) {
        address += next_byte(&table);
        if (address > offset)
            break;
        line += signed_byte(next_byte(&table));
    }
    return line;
}

/* 3.10: pairs of (bytes of code, lines); the lines are added before the range. -128: it has no
 * line. */
static int64_t line_by_ranges(struct bytes table, int64_t line, uint64_t offset)
{
    uint64_t end = 0;

    while (table.at < table.end) {
        const unsigned length = next_byte(&table);
        const int delta = signed_byte(next_byte(&table));

        end += length;
        if (delta != -128)
            line += delta;
        if (offset < end)
            return delta == -128 ? NO_LINE : line;
    }
    return NO_LINE;
}

/* Six bits per byte, lowest first; the seventh bit says that more follow. */
static uint32_t next_number(struct bytes *table)
{
    uint32_t byte = next_byte(table), value = byte & 63;

    for (unsigned shift = 6; byte & 64 && table->at < table->end; shift += 6) {
        byte = next_byte(table);
        if (shift < 32)
            value |= (byte & 63) << shift;
    }
    return value;
}

/* The lowest bit is the sign. */
static int64_t next_signed(struct bytes *table)
{
    const uint32_t value = next_number(table);

    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

enum location_form { FORM_ONE_LINE = 10, FORM_NO_COLUMNS = 13, FORM_LONG = 14, FORM_NONE = 15 };

/* By how many lines an entry of this form advances; its columns are skipped. */
static int64_t line_delta(struct bytes *table, unsigned form)
{
    int64_t delta = 0;

    if (form < FORM_ONE_LINE) {
        (void)next_byte(table);
    } else if (form < FORM_NO_COLUMNS) {
        delta = form - FORM_ONE_LINE;
        (void)next_byte(table);
        (void)next_byte(table);
    } else if (form < FORM_NONE) {
        delta = next_signed(table);
        for (unsigned i = 0; form == FORM_LONG && i < 3; i++)
            (void)next_number(table);
    }
    return delta;
}

/* 3.11 and later: entries of (form, code units), then what the form says. A unit is two bytes. */
static int64_t line_by_locations(struct bytes table, int64_t line, uint64_t offset)
{
    uint64_t end = 0;

    while (table.at < table.end) {
        const unsigned first = next_byte(&table), form = first >> 3 & 15;

        end += 2 * ((first & 7) + 1);
        line += line_delta(&table, form);
        if (offset < end)
            return form == FORM_NONE ? NO_LINE : line;
    }
    return NO_LINE;
}

unsigned line_table_find(const struct line_table *table, uint64_t offset)
{
    const size_t size = table->bytes ? table->size : 0;
    const struct bytes bytes = {table->bytes, size ? table->bytes + size : table->bytes};
    int64_t line = table->first_line;

    if (offset != LINE_TABLE_NOT_BEGUN && size > 0)
        line = table->minor >= 11   ? line_by_locations(bytes, line, offset)
               : table->minor == 10 ? line_by_ranges(bytes, line, offset)
                                    : line_by_deltas(bytes, line, offset);
    return line > 0 && line <= INT32_MAX ? (unsigned)line : 0;
}
