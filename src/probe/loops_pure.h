/* loops_pure.h - where the loops of Python functions are, and which of them has turned between two
 * looks at a stack.
 *
 * A look tells where each function on the stack is. Without loops a program only goes forward, so a
 * function that is now where it was before, or before that, has been there again: something has
 * turned. What that was is told only as far as it is sure: of several loops that it may have been,
 * the innermost is taken. A function whose variables are as they were has waited all the time for the
 * call that it made: native code of a library may call back again and again. A turn during which nobody
 * looked is not seen.
 */
#ifndef TARE_PROBE_LOOPS_PURE_H
#define TARE_PROBE_LOOPS_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOPS_OF_CODE 12 /* what a function has more is not seen */
#define LOOPS_DEPTH 32   /* functions of a stack that are looked at, from the outermost on */

struct loop_range {
    uint32_t start, last; /* bytes from the first instruction: first and last instruction of it */
};

struct loop_code {
    uintptr_t code; /* 0: a free slot */
    uint64_t mark;  /* as in python_code.h */
    bool user;      /* not of a library */
    bool imports;   /* of the import system: what it calls is no work yet */
    uint8_t count;
    uint8_t variables; /* that are looked at; 0: none, as in a module */
    struct loop_range loops[LOOPS_OF_CODE];
};

/* One function of a stack. */
struct loop_level {
    uintptr_t code;
    uint64_t mark;
    uint64_t offset;
    uint64_t state;  /* of its variables: another number, and it has gone on meanwhile. 0: not known */
    const struct loop_code *known; /* NULL: not known yet */
};

/* Outermost first. */
struct loop_look {
    unsigned count;
    bool whole; /* the stack had no more */
    struct loop_level levels[LOOPS_DEPTH];
};

struct loop_turn {
    unsigned level;
    const struct loop_range *loop; /* NULL: none has turned, as far as can be told */
    unsigned same; /* functions that are where they were, from the outermost on */
};

/* The loops of a function by its bytecode, as the attribute co_code gives it. `version` as
 * PY_VERSION_HEX. False: that version's instructions are not known here. */
bool loops_read(const uint8_t *bytes, size_t size, uint32_t version, struct loop_code *out);

/* `passed`: what the innermost function was doing at the look before has been finished since. */
struct loop_turn loops_turned(const struct loop_look *before, const struct loop_look *now,
                              bool passed);

/* Has a call that was made at this level since the look before made everything that is inside it? */
static inline bool loops_is_new(const struct loop_turn *turn, unsigned level)
{
    return level > turn->same || (turn->loop && level > turn->level);
}

/* Is the one the stack of the other, or a stack that was called from it? */
bool loops_within(const struct loop_look *outer, const struct loop_look *inner);

#endif /* TARE_PROBE_LOOPS_PURE_H */
