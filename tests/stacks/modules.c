/* modules.c - scenarios in which libraries, processes and permissions come and go. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/unwind/module_place.h"
#include "probe/unwind/modules.h"
#include "probe/unwind/stack_native.h"
#include "scenarios.h"

static void *load_plugin(const char *name)
{
    char path[4096];
    void *handle;

    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    handle = dlopen(path, RTLD_NOW);
    if (!handle) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return handle;
}

/* The second call finds everything in the cache. */
static void call_plugin(void *handle, const char *name, uint32_t *unit)
{
    unsigned (*call)(visitor *, int);

    *(void **)&call = dlsym(handle, "plugin_call");
    for (int i = 0; i < 2; i++)
        shapes_sink += call(churning ? expect_agreement : expect_all, 4);
    *unit = seen.units[1];
    EXPECT(strstr(witness_path(*unit), name));
}

static void *load_and_call(const char *name, uint32_t *unit)
{
    void *handle = load_plugin(name);

    call_plugin(handle, name, unit);
    return handle;
}

void scenario_plugins(void)
{
    uint32_t a = 0, b = 0, again = 0;
    void *handle = load_and_call("plugin_a.so", &a);

    EXPECT(witness_unloaded(a) == 0);
    EXPECT(dlclose(handle) == 0);
    modules_forget();
    handle = load_and_call("plugin_b.so", &b);
    EXPECT(a != b);
    EXPECT(witness_unloaded(b) == 0);
    EXPECT(dlclose(handle) == 0);
    modules_check(7); /* as if no dlclose had been seen */
    EXPECT(witness_unloaded(a) != 0);
    EXPECT(witness_unloaded(b) == 7);
    handle = load_and_call("plugin_a.so", &again);
    EXPECT(again != a && again != b);
    modules_check(8);
    EXPECT(witness_unloaded(again) == 0 && witness_unloaded(seen.units[0]) == 0);
    EXPECT(dlclose(handle) == 0);
    modules_check(9);
    EXPECT(witness_unloaded(again) == 9);
}

void scenario_relative_path(void)
{
    uint32_t unit = 0;
    void *handle;

    EXPECT(chdir(directory) == 0);
    handle = dlopen("./plugin_b.so", RTLD_NOW);
    EXPECT(handle);
    call_plugin(handle, "plugin_b.so", &unit); /* which compares the paths, too */
    EXPECT(witness_path(unit)[0] == '/');
    EXPECT(dlclose(handle) == 0);
    modules_forget();
}

void scenario_fork(void)
{
    uint32_t before[8];
    char path[4096];
    int status = -1;
    pid_t child;

    only_witness();
    memcpy(before, seen.units, sizeof(before));
    (void)snprintf(path, sizeof(path), "%s", witness_path(before[0]));
    child = fork();
    if (child == 0) {
        stack_native_forked();
        witness_use(witness_new_ledger("child.tare"));
        shapes_sink += shape_plain(12, expect_all);
        only_witness();
        EXPECT(memcmp(before, seen.units, 2 * sizeof(before[0])) == 0);
        EXPECT(strcmp(path, witness_path(before[0])) == 0);
        (void)fflush(stdout);
        _exit(failed);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

/* Without a ledger the frames are plain addresses, and the modules are written when one comes. */
void scenario_no_ledger(void)
{
    void *ledger = witness_ledger();

    modules_use(NULL);
    only_witness();
    EXPECT(seen.units[0] == 0 && seen.agrees);
    modules_use(ledger);
    expect_all();
}

void scenario_many_closes(void)
{
    for (unsigned i = 0; i < 3 * ROW_GENERATIONS; i++) {
        modules_forget();
        if (i % 4096 == 0)
            expect_all();
    }
    expect_all();
}

/* Threads walk while libraries come and go under them. */

static void *walk_on(void *unused)
{
    while (__atomic_load_n(&churning, __ATOMIC_ACQUIRE))
        shapes_sink += shape_many(9, expect_agreement, 1, 2, 3, 4, 5, 6, 7);
    return unused;
}

void scenario_churn(void)
{
    pthread_t threads[3];
    uint32_t unit;

    __atomic_store_n(&churning, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 3; i++)
        EXPECT(pthread_create(&threads[i], NULL, walk_on, NULL) == 0);
    for (unsigned i = 0; i < 60; i++) {
        void *handle = load_and_call(i % 2 ? "plugin_b.so" : "plugin_a.so", &unit);

        EXPECT(dlclose(handle) == 0);
        if (i % 3 == 0)
            modules_check(100 + i);
        else
            modules_forget();
    }
    __atomic_store_n(&churning, false, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 3; i++)
        EXPECT(pthread_join(threads[i], NULL) == 0);
}

/* A sandbox that refuses process_vm_readv. */
static bool refuse_copies(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void *walk_refused(void *unused)
{
    shapes_sink += shape_many(20, expect_all, 1, 2, 3, 4, 5, 6, 7);
    return unused;
}

/* Ordinary stacks need no copies; modules are not taken for unloaded because they cannot be read. */
void scenario_refused(void)
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        uint32_t unit = 0;
        void *handle;
        pthread_t thread;

        EXPECT(refuse_copies());
        modules_forget();
        EXPECT(pthread_create(&thread, NULL, walk_refused, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
        handle = load_and_call("plugin_a.so", &unit);
        modules_check(200);
        EXPECT(witness_unloaded(unit) == 0);
        EXPECT(dlclose(handle) == 0);
        modules_check(201);
        EXPECT(witness_unloaded(unit) == 201);
        (void)fflush(stdout);
        _exit(failed);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

/* Last: there is no way back from a snapshot. */
void scenario_snapshot(void)
{
    uint32_t unit = 0;
    void *handle;

    module_place_use_snapshot();
    modules_check(10); /* the loader's own names for modules are others now */
    shapes_sink += shape_sorted(20, expect_all);
    handle = load_plugin("plugin_a.so");
    modules_check(11);
    call_plugin(handle, "plugin_a.so", &unit);
    EXPECT(witness_unloaded(unit) == 0);
    EXPECT(dlclose(handle) == 0);
    modules_check(12);
    EXPECT(witness_unloaded(unit) == 12);
    expect_all();
}
