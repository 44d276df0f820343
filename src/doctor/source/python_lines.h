/* python_lines.h - the source line of an instruction of a Python function.
 *
 * The tables are copies of the interpreter's own, in one of the three forms of base/line_table.h. They
 * come from a ledger and may be forged: nothing is read beyond their end.
 */
#ifndef TARE_DOCTOR_PYTHON_LINES_H
#define TARE_DOCTOR_PYTHON_LINES_H

#include <stdint.h>

struct model_code; /* ledger/model.h */

/* `offset` as in FRAME_PYTHON of ledger/layout.h. 0: the instruction has no line, or none is known. */
unsigned python_line(const struct model_code *code, uint64_t offset);

#endif /* TARE_DOCTOR_PYTHON_LINES_H */
