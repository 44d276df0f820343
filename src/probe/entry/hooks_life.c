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

#include "probe/core/export.h"
#include "probe/core/spare_stack.h"
#include "probe/core/symbol.h"
#include "probe/entry/hooks.h"
#include "probe/entry/life.h"
#include "probe/python/stack_python.h"
#include "probe/serve/holders.h"
#include "probe/unwind/modules.h"

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                     void *);

static main_fn *program_main;

static void end_with_round(void *unused)
{
    (void)unused;
    life_end(true);
}

static void end_at_once(void *unused)
{
    (void)unused;
    life_end(false);
}

/* On another stack if one is available, otherwise here if there is room. */
static void end_away(spare_work *end)
{
    if (!spare_stack_call_away(end, NULL))
        (void)spare_stack_call(end, NULL);
}

/* When main has returned, its frame still lies below the stack pointer, with whatever it held. The
 * end is handled on another stack, so that the search can still read it. */
static int call_main(int argc, char **argv, char **environment)
{
    const int status = program_main(argc, argv, environment);

    if (!life_may_end())
        return status; /* an interpreter is gone by now, and threads of its own may stumble: no delay */
    holders_main_returned((uintptr_t)__builtin_frame_address(0));
    end_away(end_with_round);
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

    if (life_may_end())
        (void)spare_stack_call(end_with_round, NULL);
    if (symbol_find(RTLD_NEXT, "exit", &real))
        real(status);
    for (;;)
        (void)syscall(SYS_exit_group, status);
}

/* May be called on any stack, and by a child that has our memory but no thread-local memory of its own:
 * so nothing of it is touched before life_may_end has said that this is our process. */
EXPORT void _exit(int status)
{
    if (life_may_end())
        end_away(end_at_once);
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
    hooks_driver_unloaded();
    return result;
}

/* A program without main in the usual sense, or one that another language starts. */
__attribute__((destructor)) static void stop(void)
{
    if (life_may_end())
        (void)spare_stack_call(end_with_round, NULL);
}
