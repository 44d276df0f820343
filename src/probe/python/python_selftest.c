/* python_selftest.c - see python_selftest.h.
 *
 * Looked at are the frames of the first sampled allocation: each must lead to a code object whose
 * file and name are strings that can be read, whose line table is bytes, whose first line is one, and
 * whose instructions hold the frame's position; and the chain must end.
 */
#include "probe/python/python_selftest.h"

#include "probe/core/self_memory.h"
#include "probe/core/state.h"

#define CHAIN_MAX 4096u    /* frames looked at; recursion may be deeper */
#define TEXT_LONGEST 65536u
#define LINE_LAST 50000000 /* no source has more */

/* Where process_vm_readv is forbidden, by asking first. */
static bool copy(void *to, uintptr_t from, size_t size)
{
    if (from < 4096 || from > UINTPTR_MAX - size)
        return false;
    if (self_copy(to, from, size))
        return true;
    if (!self_readable(from) || !self_readable(from + size - 1))
        return false;
    memcpy(to, (const void *)from, size);
    return true;
}

static bool is_of(uintptr_t object, uintptr_t type)
{
    uintptr_t own;

    return object % 8 == 0 && copy(&own, object + PYTHON_TYPE, sizeof(own)) && own == type;
}

static bool text_is_sound(const struct python *python, uintptr_t text)
{
    const struct python_offsets *offsets = &python->offsets;
    uint64_t length;
    uint32_t state;
    char last = 1;

    if (!is_of(text, python->symbols.text_type) ||
        !copy(&length, text + PYTHON_SIZE, sizeof(length)) ||
        !copy(&state, text + PYTHON_TEXT_STATE, sizeof(state)) || length > TEXT_LONGEST)
        return false;
    if ((state & 1u << 5) == 0 || (state & 1u << 6) == 0)
        return true; /* not plain ASCII: python_text knows what to do */
    return copy(&last, text + offsets->text_ascii + length, 1) && last == 0;
}

static bool table_is_sound(const struct python *python, uintptr_t table)
{
    uint64_t size;
    char last;

    return is_of(table, python->symbols.bytes_type) &&
           copy(&size, table + PYTHON_SIZE, sizeof(size)) && size < 1u << 30 &&
           copy(&last, table + PYTHON_BYTES + size, 1) && last == 0;
}

static bool code_is_sound(const struct python *python, uintptr_t code)
{
    const struct python_offsets *offsets = &python->offsets;
    uintptr_t file, name, table;
    int32_t line;

    return is_of(code, python->symbols.code_type) &&
           copy(&file, code + offsets->code_file, sizeof(file)) &&
           copy(&name, code + offsets->code_name, sizeof(name)) &&
           copy(&table, code + offsets->code_table, sizeof(table)) &&
           copy(&line, code + offsets->code_line, sizeof(line)) && text_is_sound(python, file) &&
           text_is_sound(python, name) && table_is_sound(python, table) && line >= 0 &&
           line < LINE_LAST;
}

/* A pointer may be one instruction before the first, when the function has not begun. */
static bool position_is_sound(const struct python *python, uintptr_t frame, uintptr_t code)
{
    const struct python_offsets *offsets = &python->offsets;
    const uintptr_t first = code + offsets->code_first;
    uint64_t count;
    uintptr_t at;
    int32_t number;

    if (offsets->position_unit != 0)
        return copy(&number, frame + offsets->frame_position, sizeof(number)) && number >= -1 &&
               number < 1 << 28;
    return copy(&at, frame + offsets->frame_position, sizeof(at)) &&
           copy(&count, code + PYTHON_SIZE, sizeof(count)) && count < 1u << 28 &&
           at + 2 >= first && at < first + 2 * count && (at - first) % 2 == 0;
}

/* 1: a frame of the program, and sound; 0: one of the interpreter; -1: neither. */
static int look(const struct python *python, uintptr_t frame)
{
    const struct python_offsets *offsets = &python->offsets;
    int8_t owner = 0;
    uintptr_t code;

    if (offsets->frame_owner != PYTHON_ABSENT &&
        (!copy(&owner, frame + offsets->frame_owner, 1) || owner < 0 || owner > 7))
        return -1;
    if (owner >= 3)
        return 0;
    if (!copy(&code, frame + offsets->frame_code, sizeof(code)))
        return -1;
    code &= ~(uintptr_t)3;
    return code_is_sound(python, code) && position_is_sound(python, frame, code) ? 1 : -1;
}

enum selftest python_selftest(const struct python *python, uintptr_t state)
{
    const struct python_offsets *offsets = &python->offsets;
    uintptr_t frame = 0;
    unsigned sound = 0;

    if (!copy(&frame, state + offsets->state_frame, sizeof(frame)) ||
        (offsets->holder_frame != PYTHON_ABSENT &&
         !copy(&frame, frame + offsets->holder_frame, sizeof(frame))))
        return SELFTEST_FAILED;
    for (unsigned i = 0; frame && i < CHAIN_MAX; i++) {
        const int kind = look(python, frame);

        if (kind < 0 || !copy(&frame, frame + offsets->frame_previous, sizeof(frame)))
            return SELFTEST_FAILED;
        sound += (unsigned)kind;
    }
    return sound ? SELFTEST_PASSED : SELFTEST_LATER;
}
