/* hooks_life.c - where a program begins, ends, and unloads a library.
 *
 * The last round must come before static destructors release what the program held: so main is
 * called through a wrapper, and exit is noted. What libc calls inside itself (quick_exit, the end
 * of abort) is not seen; then the state stays "running" and the parent process knows the status.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/export.h"
#include "probe/holders.h"
#include "probe/life.h"
#include "probe/modules.h"
#include "probe/raw.h"
#include "probe/stack_python.h"
#include "probe/switch_x86.h"
#include "probe/symbol.h"

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                     void *);

#define END_STACK (256 * 1024)

static main_fn *program_main;

static void end_after_main(void)
{
    life_end(true);
}

static int call_main(int argc, char **argv, char **environment)
{
    const int status = program_main(argc, argv, environment);
    char *stack;

    if (life_is_off() || life_has_ended())
        return status; /* an interpreter is gone by now, and threads of its own may stumble: no delay */
    stack = raw_map(END_STACK); /* the copy needs it: not wiped */
    if (stack) {
        holders_main_returned((uintptr_t)__builtin_frame_address(0), stack, END_STACK);
        switch_and_call(stack + END_STACK, end_after_main);
    } else {
        life_end(true);
    }
    return status;
}

int __libc_start_main(main_fn *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);

EXPORT int __libc_start_main(main_fn *program, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    start_fn *start = NULL;

    (void)symbol_find(RTLD_NEXT, "__libc_start_main", &start);
    program_main = program;
    return start(call_main, argc, argv, init, fini, loader_fini, stack_end);
}

EXPORT void exit(int status)
{
    void (*real)(int) = NULL;

    life_end(true);
    if (symbol_find(RTLD_NEXT, "exit", &real))
        real(status);
    for (;;)
        (void)syscall(SYS_exit_group, status);
}

EXPORT void _exit(int status)
{
    life_end(false);
    for (;;)
        (void)syscall(SYS_exit_group, status);
}

EXPORT void _Exit(int status)
{
    _exit(status);
}

EXPORT int dlclose(void *handle)
{
    static int (*real)(void *);
    int result;

    if (!real)
        (void)symbol_find(RTLD_NEXT, "dlclose", &real);
    stack_python_unloading();
    result = real ? real(handle) : -1;
    stack_python_unloaded();
    modules_forget();
    return result;
}

/* A program without main in the usual sense, or one that another language starts. */
__attribute__((destructor)) static void stop(void)
{
    life_end(true);
}
