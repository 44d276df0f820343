/* loops_pure.h - where the loops of Python functions are, and which of them has turned between two
 * looks at a stack.
 *
 * A look records where each function on the stack is. Without loops a program only moves forward,
 * so a function that is now where it was before, or earlier, has been there again: a loop has
 * turned. The result names a loop only where it is certain: of several candidates the innermost is
 * taken. A function whose variables have not changed has been waiting for the call that it made:
 * native code of a library may call back again and again. A turn without a look is not seen.
 */
#ifndef TARE_PROBE_LOOPS_PURE_H
#define TARE_PROBE_LOOPS_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOPS_OF_CODE 12 /* loops of one function that are seen; more are ignored */
#define LOOPS_DEPTH 32   /* functions of a stack that are examined, from the outermost on */

struct loop_range {
    uint32_t start, last; /* bytes from the first instruction: first and last instruction of it */
};

struct loop_code {
    uintptr_t code; /* 0: a free slot */
    uint64_t mark;  /* as in python_code.h */
    bool user;      /* it does not belong to a library */
    bool imports;   /* part of the import system: its calls do not count as work yet */
    uint8_t count;
    uint8_t variables; /* how many variables are examined; 0: none, as in a module */
    struct loop_range loops[LOOPS_OF_CODE];
};

/* One function of a stack. */
struct loop_level {
    uintptr_t code;
    uint64_t mark;
    uint64_t offset;
    uint64_t state;  /* hash of its variables; differs if the function has run on. 0: not known */
    const struct loop_code *known; /* NULL: not known yet */
};

/* Outermost first. */
struct loop_look {
    unsigned count;
    bool whole; /* the stack had no more functions */
    struct loop_level levels[LOOPS_DEPTH];
};

struct loop_turn {
    unsigned level;
    const struct loop_range *loop; /* NULL: no loop is known to have turned */
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
