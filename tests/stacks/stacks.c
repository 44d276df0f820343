/* stacks.c - walks stacks of every kind and compares with what is known of them.
 *
 * stacks DIRECTORY VARIANT runs all scenarios; stacks DIRECTORY VARIANT NAME only one.
 * DIRECTORY holds the two plugins and receives the ledgers.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "probe/unwind/stack_native.h"
#include "scenarios.h"

const char *directory;
bool failed, churning;

/* A visitor: what holds for every walk that backtrace() can do too. */
void expect_all(void)
{
    witness();
    EXPECT(seen.agrees);
    EXPECT(seen.modules);
    EXPECT(seen.complete);
    EXPECT(seen.known);
    EXPECT(seen.polite);
    EXPECT(seen.count > 3);
}

/* The same where other threads use the heap meanwhile. */
void expect_agreement(void)
{
    witness();
    EXPECT(seen.agrees);
    EXPECT(seen.modules);
    EXPECT(seen.complete);
}

static bool calls_through(const char *module)
{
    for (unsigned i = 0; i + 5 < seen.count; i++)
        if (strstr(witness_path(seen.units[i]), module))
            return true;
    return false;
}

static void scenario_deep(void)
{
    shapes_sink += shape_plain(30, expect_all);
    shapes_sink += shape_many(30, expect_all, 1, 2, 3, 4, 5, 6, 7);
    shapes_sink += shape_sorted(30, expect_all);
    EXPECT(witness_find("shape_many") > 0);
    EXPECT(calls_through("/libc.so"));
    EXPECT(witness_find("main") > 0);
}

/* ---- threads ---- */

static void *in_thread(void *unused)
{
    shapes_sink += shape_sorted(20, expect_all);
    return unused;
}

static void run_thread(const pthread_attr_t *attributes)
{
    pthread_t thread;

    EXPECT(pthread_create(&thread, attributes, in_thread, NULL) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
}

static void scenario_threads(void)
{
    const size_t size = 8 << 20;
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;

    for (int i = 0; i < 4; i++)
        run_thread(NULL);
    EXPECT(room != MAP_FAILED && pthread_attr_init(&attributes) == 0);
    EXPECT(pthread_attr_setstack(&attributes, room, size) == 0);
    run_thread(&attributes);
    (void)pthread_attr_destroy(&attributes);
}

/* ---- other stacks ---- */

static ucontext_t outside, inside;

static void expect_unknown(void)
{
    witness();
    EXPECT(!seen.known);
    EXPECT(seen.agrees);
    EXPECT(seen.complete);
    EXPECT(seen.modules);
    EXPECT(seen.polite);
}

static void coroutine(void)
{
    shapes_sink += shape_alloca(9, expect_unknown);
}

static void run_coroutine(void)
{
    const size_t size = 256 << 10;
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    EXPECT(room != MAP_FAILED && getcontext(&inside) == 0);
    inside.uc_stack.ss_sp = room;
    inside.uc_stack.ss_size = size;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    EXPECT(swapcontext(&outside, &inside) == 0);
    (void)munmap(room, size);
}

static void *coroutine_in_thread(void *unused)
{
    /* The whole stack of the thread is tried, some pages at a time, before its guard is met. */
    for (int i = 0; i < 40; i++)
        run_coroutine();
    shapes_sink += shape_plain(20, expect_all);
    return unused;
}

static void scenario_coroutine(void)
{
    pthread_t thread;

    run_coroutine();
    EXPECT(pthread_create(&thread, NULL, coroutine_in_thread, NULL) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
}

static void on_signal(int number)
{
    witness();
    EXPECT(!seen.complete);
    EXPECT(witness_in(0, "on_signal") || !witness_in(0, "main"));
    EXPECT(seen.count == 2);
    (void)number;
}

static void scenario_signal(void)
{
    stack_t other = {.ss_size = 64 << 10};
    struct sigaction action = {.sa_handler = on_signal};

    other.ss_sp = malloc(other.ss_size);
    EXPECT(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0);
    EXPECT(seen.known);
    action.sa_flags = SA_ONSTACK;
    EXPECT(sigaltstack(&other, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    EXPECT(raise(SIGUSR1) == 0);
    EXPECT(!seen.known);
    other.ss_flags = SS_DISABLE;
    EXPECT(sigaltstack(&other, NULL) == 0);
    free(other.ss_sp);
}

/* ---- code ---- */

static void scenario_exceptions(void)
{
    int visits = 0;

    shapes_sink += thrown_outer(expect_all, &visits);
    EXPECT(visits == 2);
}

void only_witness(void)
{
    witness();
    shapes_sink++; /* no tail call: this frame is to be seen */
}

/* With frame pointers all frames are found. Without, the walk may end early or skip, no more. */
static void scenario_bare(void)
{
    shapes_sink += bare_outer(5, only_witness);
    EXPECT(seen.count >= 2 && seen.polite);
    EXPECT(witness_in(1, "bare_inner"));
#ifdef BARE_HAS_FRAME_POINTER
    for (unsigned i = 1; i <= 6; i++)
        EXPECT(witness_in(i, "bare_inner"));
    EXPECT(witness_in(7, "bare_outer"));
    EXPECT(witness_find("main") > 7);
    EXPECT(seen.modules);
    EXPECT(seen.complete);
#endif
}

/* Code made at run time: push rbp; mov rbp,rsp; call rdi; pop rbp; ret. */
static void scenario_jit(void)
{
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
    unsigned char *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    union {
        unsigned char *bytes;
        void (*call)(visitor *visit);
    } entry = {.bytes = made};

    EXPECT(made != MAP_FAILED);
    memcpy(made, code, sizeof(code));
    EXPECT(mprotect(made, 4096, PROT_READ | PROT_EXEC) == 0);
    for (int i = 0; i < 2; i++) {
        entry.call(only_witness);
        EXPECT(seen.count > 3 && seen.units[1] == 0 && seen.pcs[1] == (uintptr_t)made + 6);
        EXPECT(witness_find("main") > 2);
        EXPECT(seen.complete);
    }
    (void)munmap(made, 4096);
}

/* ---- hostile stacks ---- */

static uint64_t random_word(void)
{
    static uint64_t state = 88172645463325252ull;

    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint64_t hostile_word(const uint64_t *stack, size_t words)
{
    const uint64_t any = random_word();

    switch (any >> 60) {
    case 0:
        return any;
    case 1:
        return any & 0x7fffffffffff;
    case 2:
    case 3:
        return (uintptr_t)&qsort + any % 65536;
    case 4:
    case 5:
        return seen.pcs[any % seen.count];
    case 6:
        return (uintptr_t)&scenario_deep + any % 16384;
    default: /* into the stack itself, often aligned */
        return (uintptr_t)(stack + any % (words + 8)) + (any % 11 == 0);
    }
}

static void scenario_hostile(void)
{
    enum { WORDS = 512 };
    static uint64_t stack[WORDS];
    struct native_frame frames[64];
    bool complete;

    only_witness();
    for (unsigned round = 0; round < 60000; round++) {
        const struct stack_bounds bounds = {(uintptr_t)stack, (uintptr_t)(stack + WORDS)};
        const struct stack_bounds unknown = {(uintptr_t)stack, 0};
        const struct stack_start start = {.pc = seen.pcs[random_word() % seen.count],
                                          .sp = hostile_word(stack, WORDS),
                                          .bp = hostile_word(stack, WORDS)};

        for (unsigned i = 0; i < 40; i++)
            stack[random_word() % WORDS] = hostile_word(stack, WORDS);
        EXPECT(stack_native_walk(&start, round % 8 ? &bounds : &unknown, frames, 64, &complete) <= 64);
    }
    expect_all();
}

static void scenario_small_max(void)
{
    const struct stack_start start = {.pc = (uintptr_t)&scenario_deep + 1,
                                      .sp = (uintptr_t)__builtin_frame_address(0)};
    const struct stack_bounds bounds = {start.sp, start.sp};
    struct native_frame frame;
    bool complete = true;

    EXPECT(stack_native_walk(&start, &bounds, &frame, 0, &complete) == 0 && !complete);
    EXPECT(stack_native_walk(&start, &bounds, &frame, 1, &complete) == 1 && !complete);
}

static void scenario_bench(void)
{
    unsigned frames;
    const double warm = witness_cost(2000, &frames);

    printf("%.1f ns per warm frame, %u frames\n", warm, frames);
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {"deep", scenario_deep},
    {"threads", scenario_threads},
    {"coroutine", scenario_coroutine},
    {"signal", scenario_signal},
    {"exceptions", scenario_exceptions},
    {"bare", scenario_bare},
    {"jit", scenario_jit},
    {"plugins", scenario_plugins},
    {"relative_path", scenario_relative_path},
    {"fork", scenario_fork},
    {"no_ledger", scenario_no_ledger},
    {"many_closes", scenario_many_closes},
    {"churn", scenario_churn},
    {"refused", scenario_refused},
    {"hostile", scenario_hostile},
    {"small_max", scenario_small_max},
    {"snapshot", scenario_snapshot},
};

static void bench_visit(void)
{
    scenario_bench();
}

int main(int argc, char **argv)
{
    bool any_failed = false;

    if (argc < 3)
        return 2;
    directory = argv[1];
    witness_start(directory);
    if (argc > 3 && strcmp(argv[3], "bench") == 0) {
        shapes_sink += shape_sorted(40, bench_visit);
        return 0;
    }
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (argc > 3 && strcmp(argv[3], scenarios[i].name) != 0)
            continue;
        failed = false;
        scenarios[i].run();
        printf("%s %s:%s\n", failed ? "FAILED" : "ok", argv[2], scenarios[i].name);
        (void)fflush(stdout);
        any_failed |= failed;
    }
    return any_failed;
}
