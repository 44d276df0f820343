/* layout_lines.h - the part of layout.h for functions measured line by line. */
#ifndef TARE_LEDGER_LAYOUT_LINES_H
#define TARE_LEDGER_LAYOUT_LINES_H

#include <stdint.h>

enum line_flag {
    LINE_SMALL = 1, /* the interpreter's small objects are in the numbers, exactly */
    LINE_LOCALS = 2 /* what the variables of a call held is released on the line that ends it */
};

/* A function measured line by line (docs/lines.md), or one line of it. */
struct line_record {
    uint32_t function;   /* index + 1 of the function's own record; its own: the function itself */
    uint32_t line;       /* 0: the function itself */
    uint32_t file;       /* string */
    uint32_t name;       /* string: qualified, as it was marked */
    uint32_t first_line; /* of the function */
    uint32_t flags;      /* atomic: enum line_flag, what was so in every call */
    uint64_t hits;       /* atomic: times that the line was begun; of a function: its calls */
    uint64_t added;      /* atomic: bytes allocated meanwhile by the thread that ran it */
    uint64_t released;   /* atomic: bytes that it released */
    uint64_t others_added;    /* atomic: bytes allocated meanwhile by other threads */
    uint64_t others_released; /* atomic */
    int64_t resident; /* atomic: change of the resident size */
    int64_t least;    /* atomic: added less released in one stay on the line, the least */
    int64_t most;     /* atomic: the most */
    uint64_t time_ns; /* atomic: spent on it, calls included */
};

#endif /* TARE_LEDGER_LAYOUT_LINES_H */
