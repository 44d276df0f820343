/* python_lines.h - the source line of an instruction of a Python function.
 *
 * The tables are the interpreter's own, copied as they were, in one of three forms: byte and line
 * deltas (3.9), ranges (3.10, PEP 626), locations of varying length (3.11 and later). They come from a
 * ledger and may be forged: nothing is read beyond their end.
 */
#ifndef TARE_DOCTOR_PYTHON_LINES_H
#define TARE_DOCTOR_PYTHON_LINES_H

#include <stdint.h>

struct model_code; /* ledger/model.h */

/* `offset` as in FRAME_PYTHON of ledger/layout.h. 0: the instruction has no line, or none is known. */
unsigned python_line(const struct model_code *code, uint64_t offset);

#endif /* TARE_DOCTOR_PYTHON_LINES_H */
