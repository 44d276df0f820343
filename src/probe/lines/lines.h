/* lines.h - functions measured line by line: what each line added and released.
 *
 * The code that sees the lines (lines_python.h) reports them here, with the interpreter's lock
 * held. The numbers are differences of the calling thread's exact counters. A stay on a line lasts
 * until the function is on another one, or is left: calls made from the line are in it, but not
 * calls of the same function, whose lines have their own stays. So each byte is counted once in a
 * function's table. docs/lines.md says it for users.
 */
#ifndef TARE_PROBE_LINES_H
#define TARE_PROBE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_FUNCTIONS 64

/* A function to be measured, known by its code object, which must stay alive. Returns its number from
 * 1 on; 0: there are too many. A function that is marked again keeps its number. */
unsigned lines_mark(uintptr_t code, const char *name, const char *file, uint32_t first_line);
unsigned lines_find(uintptr_t code); /* its number; 0: it is not marked */

/* The function is entered (`called`) or resumed. A line begins with the call of lines_at. */
void lines_enter(unsigned function, bool called);
/* The function is on this line now. Not `fresh`: it continues a line, which does not count as a
 * new hit. */
void lines_at(unsigned function, uint32_t line, bool fresh);
/* It ends or yields. `locals`: what its variables held has been released already. */
void lines_leave(unsigned function, bool locals);
bool lines_inside(void); /* is a marked function open on this thread? */

/* Bytes that the measurement itself has allocated before now, or will release: no line is
 * charged for them. */
void lines_discount(uint64_t born, uint64_t dead);

/* What the probe itself allocates in between on this thread is not charged to a line either. */
struct lines_pause {
    uint64_t born, dead;
};
void lines_pause(struct lines_pause *pause);
void lines_resume(const struct lines_pause *pause);

/* The numbers start again at zero, for the next table. */
void lines_clear(void);

#endif /* TARE_PROBE_LINES_H */
