/* invariant.h - checks of our own mistakes, in debug builds alone (make DEBUG=1).
 *
 * INVARIANT(condition) says what holds at this place, whatever the program, the other side or a file
 * does. It is never for input. A debug build says where it does not hold, and traps. A release build
 * evaluates nothing, because the probe never ends a program.
 */
#ifndef TARE_BASE_INVARIANT_H
#define TARE_BASE_INVARIANT_H

#ifdef TARE_DEBUG

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By system calls alone: the probe may be anywhere in the program. */
__attribute__((cold, noinline, noreturn, unused)) static void invariant_broken(const char *what)
{
    (void)syscall(SYS_write, 2, what, strlen(what));
    __builtin_trap();
}

#define INVARIANT_TEXT(line) #line
#define INVARIANT_LINE(line) INVARIANT_TEXT(line)
#define INVARIANT(condition)                                                                       \
    ((condition) ? (void)0                                                                         \
                 : invariant_broken("tare: " __FILE__ ":" INVARIANT_LINE(__LINE__) ": not true: "  \
                                    #condition "\n"))

#else

#define INVARIANT(condition) ((void)sizeof((condition) ? 1 : 0))

#endif

#endif /* TARE_BASE_INVARIANT_H */
