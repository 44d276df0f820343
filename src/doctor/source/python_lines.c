/* python_lines.c - see python_lines.h. */
#include "doctor/source/python_lines.h"

#include "base/line_table.h"
#include "ledger/model.h"

_Static_assert(LINE_TABLE_NOT_BEGUN == FRAME_NOT_BEGUN, "both mean that the function has not begun");

unsigned python_line(const struct model_code *code, uint64_t offset)
{
    const struct line_table table = {code->table, code->table_size, code->first_line,
                                     code->version >> 16 & 0xff};

    return line_table_find(&table, offset);
}
