/* python_code.h - Python functions by the address of their code object, each copied into the ledger
 * when it is first seen on a stack.
 *
 * Code objects die and their addresses are used again, so an address alone names nothing: it counts
 * together with a mark made of what the object points to.
 */
#ifndef TARE_PROBE_PYTHON_CODE_H
#define TARE_PROBE_PYTHON_CODE_H

#include <stdint.h>
#include <string.h>

#include "ledger/writer.h"
#include "probe/python/python_offsets.h"

/* The interpreter in this process. */
struct python {
    struct python_symbols symbols;
    struct python_offsets offsets;
    uint32_t version; /* as PY_VERSION_HEX */
};

struct python_frame {
    uintptr_t code; /* the code object */
    uint64_t mark;
    uint64_t offset; /* as in FRAME_PYTHON of ledger/layout.h */
    uintptr_t frame; /* where its variables are; 0: not known */
};

static inline uintptr_t python_word(uintptr_t at)
{
    uintptr_t value;

    memcpy(&value, (const void *)at, sizeof(value));
    return value;
}

/* Where a frame is in its code: bytes from the first instruction; what lies outside has not begun. */
static inline uint64_t python_position(uintptr_t frame, uintptr_t code,
                                       const struct python_offsets *offsets)
{
    int32_t count;

    if (offsets->position_unit == 0) {
        const uint64_t offset =
            python_word(frame + offsets->frame_position) - (code + offsets->code_first);

        return offset < 2 * python_word(code + PYTHON_SIZE) ? offset : FRAME_NOT_BEGUN;
    }
    memcpy(&count, (const void *)(frame + offsets->frame_position), sizeof(count));
    return count < 0 ? FRAME_NOT_BEGUN : (uint64_t)count * offsets->position_unit;
}

/* What distinguishes a code object from the one that had its address before: its strings, its
 * line table with the first bytes in it, its first line. The parts may be at the same addresses,
 * too, when sources of the same length are compiled in turn; that the bytes are the same as well
 * makes the lines the same. */
static inline uint64_t python_mark(uintptr_t code, const struct python_offsets *offsets)
{
    const uint64_t odd = 0x9E3779B97F4A7C15ull;
    const uintptr_t table = python_word(code + offsets->code_table);
    const uint64_t size = python_word(table + PYTHON_SIZE);
    uint64_t mark = python_word(code + offsets->code_name), head;
    uint32_t line;

    memcpy(&line, (const void *)(code + offsets->code_line), sizeof(line));
    mark = (mark ^ table << 17 ^ line) * odd;
    mark = (mark ^ python_word(code + offsets->code_file) ^ size << 40) * odd;
    /* A short table, too, has 8 readable bytes: objects take whole 16, and its head takes 32. */
    head = size > 0 ? python_word(table + PYTHON_BYTES) : 0;
    return (mark ^ (size < 8 ? head & ((1ull << 8 * size) - 1) : head)) * odd;
}

/* When an interpreter is found. Without memory no function is ever known. */
void python_code_meet(void);

/* In a forked child: no code is known, and no thread is at work. */
void python_code_forked(void);

/* The unit of FRAME_PYTHON, recorded if it is new; 0: it could not be, which is counted. */
uint32_t python_code_unit(struct ledger *ledger, const struct python *python,
                          const struct python_frame *frame);

/* Is this a function of the import system? It is on the stack while a module is being loaded. */
bool python_code_imports(uint32_t unit);

/* Writes the text of a str to to[size], as UTF-8 without a terminator; returns the bytes
 * written. An escape for a byte that was not valid text (PEP 383) becomes that byte again. */
size_t python_text(const struct python *python, uintptr_t text, char *to, size_t size);

#endif /* TARE_PROBE_PYTHON_CODE_H */
