/* witness.c - see the header. Compiled with a frame pointer, as the probe is. */
#include "witness.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ledger/writer.h"
#include "probe/unwind/modules.h"
#include "probe/unwind/stack_native.h"

__thread struct sighting seen;

static struct ledger *ledger;
static const char *directory;

void *witness_new_ledger(const char *name)
{
    const struct ledger_identity identity = {.role = ROLE_PROCESS, .pid = (uint32_t)getpid()};
    struct ledger *made = calloc(1, sizeof(*made));
    struct why why;

    if (!made || ledger_create(made, directory, name, &identity, &why) != 0) {
        printf("FAILED ledger: %s\n", why.text);
        exit(1);
    }
    return made;
}

void witness_start(const char *where)
{
    void *frames[4];

    directory = where;
    (void)backtrace(frames, 4); /* loads libgcc */
    modules_setup();
    stack_native_setup();
    witness_use(witness_new_ledger("first.tare"));
}

void witness_use(void *to)
{
    ledger = to;
    modules_use(to);
}

void *witness_ledger(void)
{
    return ledger;
}

static const struct module_record *record(uint32_t unit)
{
    return (const struct module_record *)ledger_records(ledger, SECTION_modules) + unit - 1;
}

const char *witness_path(uint32_t unit)
{
    const struct string_unit *strings = ledger_records(ledger, SECTION_strings);

    return unit ? (const char *)strings[record(unit)->path - 1].bytes + 4 : "";
}

uint64_t witness_unloaded(uint32_t unit)
{
    return record(unit)->unloaded;
}

/* The loader's own answer, as a path. */
static bool in_its_module(uintptr_t pc, uint32_t unit)
{
    char real[4096], named[4096];
    Dl_info info;

    if (unit == 0)
        return false;
    if (!dladdr((void *)(pc - 1), &info) || (uintptr_t)info.dli_fbase != record(unit)->start)
        return false;
    if (!strchr(info.dli_fname, '/'))
        return strcmp(info.dli_fname, witness_path(unit)) == 0;
    return witness_path(unit)[0] == '/' && realpath(info.dli_fname, real) &&
           realpath(witness_path(unit), named) && strcmp(real, named) == 0;
}

/* backtrace() gives this function's own frame first. */
static bool agrees_with(void *const *others, int count)
{
    if (seen.count + 1 != (unsigned)count)
        return false;
    for (unsigned i = 0; i < seen.count; i++)
        if (seen.pcs[i] != (uintptr_t)others[i + 1])
            return false;
    return true;
}

static void judge(const struct native_frame *frames)
{
    seen.modules = true;
    for (unsigned i = 0; i < seen.count; i++) {
        const uint32_t unit = frames[i].unit;

        seen.units[i] = unit;
        seen.pcs[i] = frames[i].offset + (unit ? record(unit)->base : 0);
        seen.modules &= in_its_module(seen.pcs[i], unit);
    }
}

static void print_both(void *const *others, int count)
{
    for (int i = 0; i < count || i < (int)seen.count; i++) {
        Dl_info a = {0}, b = {0};

        if (i < (int)seen.count)
            (void)dladdr((void *)(seen.pcs[i] - 1), &a);
        if (i + 1 < count)
            (void)dladdr(others[i + 1], &b);
        printf("  %2d %#14zx %-24s | %p %s\n", i, i < (int)seen.count ? seen.pcs[i] : 0,
               a.dli_sname ? a.dli_sname : "", i + 1 < count ? others[i + 1] : NULL,
               b.dli_sname ? b.dli_sname : "");
    }
}

static struct stack_start start_at(const void *frame)
{
    const uintptr_t *words = frame;

    return (struct stack_start){.pc = words[1], .sp = (uintptr_t)(words + 2), .bp = words[0]};
}

__attribute__((noinline)) void witness(void)
{
    static __thread struct native_frame frames[WITNESS_MAX];
    static __thread void *others[WITNESS_MAX + 1];
    const struct stack_start start = start_at(__builtin_frame_address(0));
    struct stack_bounds bounds = {.low = start.sp};
    const struct mallinfo2 before = mallinfo2();
    struct mallinfo2 after;
    int count;

    errno = 4711;
    seen.known = stack_bounds_of_thread(&bounds);
    seen.count = stack_native_walk(&start, &bounds, frames, WITNESS_MAX, &seen.complete);
    seen.polite = errno == 4711;
    after = mallinfo2();
    seen.polite &= before.uordblks == after.uordblks;
    judge(frames);
    count = backtrace(others, WITNESS_MAX + 1);
    seen.agrees = agrees_with(others, count);
    if (getenv("VERBOSE"))
        print_both(others, count);
}

bool witness_in(unsigned at, const char *function)
{
    Dl_info info;

    return at < seen.count && dladdr((void *)(seen.pcs[at] - 1), &info) && info.dli_sname &&
           strcmp(info.dli_sname, function) == 0;
}

int witness_find(const char *function)
{
    for (unsigned i = 0; i < seen.count; i++)
        if (witness_in(i, function))
            return (int)i;
    return -1;
}

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The best of some batches: other programs run here too. */
double witness_cost(unsigned rounds, unsigned *count)
{
    static struct native_frame frames[WITNESS_MAX];
    const struct stack_start start = start_at(__builtin_frame_address(0));
    struct stack_bounds bounds = {.low = start.sp};
    double best = 1e9;
    bool complete;

    for (unsigned batch = 0; batch < 50; batch++) {
        const double begin = seconds();
        double cost;

        for (unsigned i = 0; i < rounds; i++) {
            (void)stack_bounds_of_thread(&bounds);
            *count = stack_native_walk(&start, &bounds, frames, WITNESS_MAX, &complete);
        }
        cost = (seconds() - begin) * 1e9 / rounds / *count;
        best = cost < best ? cost : best;
    }
    return best;
}
