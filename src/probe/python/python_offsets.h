/* python_offsets.h - the offsets in CPython's structures that a walk of its frames reads, by
 * version.
 *
 * Everything that depends on the version of the interpreter is in python_offsets.c; x86-64, builds
 * with a global lock.
 */
#ifndef TARE_PROBE_PYTHON_OFFSETS_H
#define TARE_PROBE_PYTHON_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/core/state.h"
#include "probe/python/python_find.h"

#define PYTHON_ABSENT 0xffffu /* no such field in this version */

/* In bytes. The header of every object is a count and, 8 bytes in, its type. */
struct python_offsets {
    uint16_t state_frame;    /* in the thread state: the innermost frame, or its holder */
    uint16_t holder_frame;   /* in the holder: the innermost frame; absent: there is no holder */
    uint16_t frame_previous; /* in a frame: its caller */
    uint16_t frame_code;
    uint16_t frame_position; /* an int, or a pointer to an instruction: see position_unit */
    uint16_t frame_owner;    /* one byte; 3 or more: not a frame of the program */
    uint16_t position_unit;  /* bytes of one count of an int; 0: it is a pointer */
    uint16_t code_first;     /* in a code object: its first instruction */
    uint16_t code_line;      /* an int */
    uint16_t code_file, code_name, code_table;
    uint16_t text_ascii; /* in a str: the characters, when they are ASCII */
    uint16_t text_other; /* the characters, when they are not */
};

enum { PYTHON_TYPE = 8, PYTHON_SIZE = 16, PYTHON_BYTES = 32, PYTHON_TEXT_STATE = 32 };

enum { TYPE_NAME = 24, TYPE_MEMBERS = 240 }; /* in a type */

/* PyMemberDef, part of the stable interface. */
struct python_member {
    const char *name;
    int type;
    intptr_t offset;
    int flags;
    const char *doc;
};

/* Where the objects of a type have this member; PYTHON_ABSENT: it is not in the type's table. */
uint16_t python_member_of(uintptr_t type, const char *name);

/* As PY_VERSION_HEX; 0: not known. */
uint32_t python_version(const struct python_symbols *symbols);

/* The record of this interpreter. NULL, or why there is none: a sentence's end, for a note. */
const char *python_offsets_of(const struct python_symbols *symbols, uint32_t version,
                              struct python_offsets *out);

#endif /* TARE_PROBE_PYTHON_OFFSETS_H */
