/* driver_calls.c - calls a driver (a stand-in: standin_driver.c) and says after each step what the
 * driver's own books say: bytes taken, blocks, pinned bytes of the host.
 *
 *     driver_calls HOW WHAT
 *
 * HOW the functions are found: dlsym, lookup (the driver's own function that hands them out, as NVIDIA's
 * runtime does), lookup_thread (the same, for the default stream of each thread), default (dlsym for the
 * whole program), linked (built with -DLINKED). With -DHIP it is AMD's driver.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tare/mark.h>
#include <unistd.h>

#ifdef HIP
#define LIBRARY  "libamdhip64.so.6"
#define LOOK_UP  "hipGetProcAddress"
#define TAKE     "hipMalloc"
#define GIVE     "hipFree"
#define PIN      "hipHostMalloc"
#define UNPIN    "hipHostFree"
#define CREATE   "hipMemCreate"
#define MAP      "hipMemMap"
#define UNMAP    "hipMemUnmap"
#define RELEASE  "hipMemRelease"
#define RETAIN   "hipMemRetainAllocationHandle"
#define VERSION  60200
#else
#define LIBRARY  "libcuda.so.1"
#define LOOK_UP  "cuGetProcAddress_v2"
#define TAKE     "cuMemAlloc_v2"
#define GIVE     "cuMemFree_v2"
#define PIN      "cuMemHostAlloc"
#define UNPIN    "cuMemFreeHost"
#define CREATE   "cuMemCreate"
#define MAP      "cuMemMap"
#define UNMAP    "cuMemUnmap"
#define RELEASE  "cuMemRelease"
#define RETAIN   "cuMemRetainAllocationHandle"
#define VERSION  12080
#endif

typedef int any_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* The lines of this driver in driver.def, as X(name, does). */
#ifdef HIP
#define CUDA_LINE(name, does)
#define HIP_LINE(name, does) X(name, does)
#else
#define CUDA_LINE(name, does) X(name, does)
#define HIP_LINE(name, does)
#endif
#define DRIVER(kind, name, does) kind##_LINE(name, does)

#ifdef LINKED
#define X(name, does) int name(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
#include "probe/devices/driver.def"
#undef X
#endif

static const struct line {
    const char *name, *does;
    any_fn *linked;
} lines[] = {
#ifdef LINKED
#define X(name, does) {#name, #does, name},
#else
#define X(name, does) {#name, #does, NULL},
#endif
#include "probe/devices/driver.def"
#undef X
};
#define LINES (sizeof(lines) / sizeof(lines[0]))

static const char *how;
static void *library;
static uint64_t step_number;

static any_fn *found(void *symbol, const char *name)
{
    any_fn *function;

    if (!symbol) {
        printf("%s: %s\n", name, dlerror());
        exit(1);
    }
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

static any_fn *by_name(const char *name)
{
    return found(dlsym(library, name), name);
}

static any_fn *look_up(const char *name, uint64_t version, uint64_t flags)
{
    char base[64];
    void *function = NULL;
    int status;

    snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, "_"), name);
    if (by_name(LOOK_UP)((uintptr_t)base, (uintptr_t)&function, version, flags, (uintptr_t)&status, 0) != 0)
        printf("%s was not given\n", base);
    return found(function, base);
}

static any_fn *entry(const char *name)
{
    for (unsigned i = 0; strcmp(how, "linked") == 0 && i < LINES; i++)
        if (strcmp(lines[i].name, name) == 0)
            return lines[i].linked;
    if (strcmp(how, "default") == 0)
        return found(dlsym(RTLD_DEFAULT, name), name);
    if (strncmp(how, "lookup", 6) == 0)
        return look_up(name, VERSION, strcmp(how, "lookup") == 0 ? 0 : 2);
    return by_name(name);
}

static uint64_t ask(const char *name)
{
    uint64_t sum = 0;

    for (int device = 0; device < (strcmp(name, "standin_used") == 0 ? 4 : 1); device++) {
        uint64_t (*function)(int);
        void *symbol = dlsym(library, name);

        memcpy(&function, &symbol, sizeof(function));
        sum += function(device);
    }
    return sum;
}

static void step(const char *what)
{
    tare_step(step_number++);
    printf("%s %lu %lu %lu\n", what, ask("standin_used"), ask("standin_blocks"), ask("standin_pinned"));
}

static void check(int result, const char *what)
{
    if (result != 0)
        printf("%s failed with %d\n", what, result);
}

static void open_driver(void)
{
    void *context;

    library = dlopen(LIBRARY, RTLD_NOW | (strcmp(how, "default") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library) {
        printf("%s\n", dlerror());
        exit(1);
    }
#ifdef HIP
    (void)context;
    check(by_name("hipSetDevice")(0, 0, 0, 0, 0, 0), "hipSetDevice");
#else
    check(by_name("cuInit")(0, 0, 0, 0, 0, 0), "cuInit");
    check(by_name("cuDevicePrimaryCtxRetain")((uintptr_t)&context, 0, 0, 0, 0, 0), "retain");
    check(by_name("cuCtxSetCurrent")((uintptr_t)context, 0, 0, 0, 0, 0), "set");
#endif
}

/* ---- every entry point ---- */

static struct placement {
    int type, exported, place, number;
} on_device_1 = {.place = 1, .number = 1}, on_host = {.place = 2};

static void try_taking(const struct line *line, uint64_t bytes)
{
    uint64_t made[3] = {0}, pitch;

    for (int i = 0; i < 3; i++)
        check(strcmp(line->does, "take_rows") == 0
                  ? entry(line->name)((uintptr_t)&made[i], (uintptr_t)&pitch, 1000, bytes / 1000, 4, 0)
                  : entry(line->name)((uintptr_t)&made[i], bytes, 0, 0, 0, 0),
              line->name);
    step(line->name);
    for (int i = 0; i < 3; i++)
        check(entry(GIVE)(made[i], 0, 0, 0, 0, 0), GIVE);
    step(line->name);
}

static void try_giving(const struct line *line, uint64_t bytes)
{
    const int host = strstr(line->name, "Host") != NULL;
    uint64_t made = 0;

    check(entry(host ? PIN : TAKE)((uintptr_t)&made, bytes, 0, 0, 0, 0), TAKE);
    step(line->name);
    check(entry(line->name)(made, 0, 0, 0, 0, 0), line->name);
    step(line->name);
}

static void try_pinning(const struct line *line, uint64_t bytes)
{
    static char here[4096];
    uint64_t made = (uintptr_t)here;

    check(entry(line->name)(strcmp(line->does, "pin_here") == 0 ? made : (uintptr_t)&made, bytes, 0, 0, 0,
                            0),
          line->name);
    step(line->name);
    check(entry(UNPIN)(made, 0, 0, 0, 0, 0), UNPIN);
    step(line->name);
}

/* The memory is there until the last of its holders lets go: the program, and each mapping. */
static void try_virtual(const struct placement *where)
{
    const uint64_t at = 0x7000000000, bytes = 4 << 20;
    uint64_t handle = 0, again = 0;

    check(entry(CREATE)((uintptr_t)&handle, bytes, (uintptr_t)where, 0, 0, 0), CREATE);
    step("created");
    check(entry(MAP)(at, bytes, 0, handle, 0, 0), MAP);
    check(entry(MAP)(at + bytes, bytes, 0, handle, 0, 0), MAP);
    check(entry(RETAIN)((uintptr_t)&again, at, 0, 0, 0, 0), RETAIN);
    check(entry(RELEASE)(handle, 0, 0, 0, 0, 0), RELEASE);
    check(entry(RELEASE)(again, 0, 0, 0, 0, 0), RELEASE);
    step("mapped");
    check(entry(UNMAP)(at, bytes, 0, 0, 0, 0), UNMAP);
    step("mapped once");
    check(entry(UNMAP)(at, 2 * bytes, 0, 0, 0, 0), UNMAP);
    step("unmapped");
    check(entry(CREATE)((uintptr_t)&handle, bytes, (uintptr_t)where, 0, 0, 0), CREATE);
    step("created");
    check(entry(RELEASE)(handle, 0, 0, 0, 0, 0), RELEASE);
    step("released");
}

static void try_ends(const struct line *line)
{
    uint64_t made, context = 0;

    check(entry(TAKE)((uintptr_t)&made, 3 << 20, 0, 0, 0, 0), TAKE);
#ifndef HIP
    if (strcmp(line->does, "destroy") == 0)
        check(by_name("cuCtxCreate_v2")((uintptr_t)&context, 0, 2, 0, 0, 0), "cuCtxCreate_v2");
#endif
    check(entry(TAKE)((uintptr_t)&made, 5 << 20, 0, 0, 0, 0), TAKE);
    step(line->name);
    check(entry(line->name)(context, 0, 0, 0, 0, 0), line->name);
    step(line->name);
#ifndef HIP
    check(by_name("cuDevicePrimaryCtxRetain")((uintptr_t)&context, 0, 0, 0, 0, 0), "retain");
    check(by_name("cuCtxSetCurrent")(context, 0, 0, 0, 0, 0), "set");
    check(entry("cuDevicePrimaryCtxReset_v2")(0, 0, 0, 0, 0, 0), "reset");
#endif
}

static void try_each(void)
{
    for (unsigned i = 0; i < LINES; i++) {
        const struct line *line = &lines[i];
        const uint64_t bytes = 100000 + 1000 * i;

        if (strncmp(line->does, "take", 4) == 0)
            try_taking(line, bytes);
        else if (strcmp(line->does, "give") == 0)
            try_giving(line, bytes);
        else if (strncmp(line->does, "pin", 3) == 0)
            try_pinning(line, bytes);
        else if (strcmp(line->does, "destroy") == 0 || strncmp(line->does, "reset", 5) == 0)
            try_ends(line);
    }
    try_virtual(&on_device_1);
    try_virtual(&on_host);
}

/* ---- threads ---- */

static void *work(void *context)
{
    uint64_t kept[10] = {0}, random = (uintptr_t)context;
    void *first = NULL;

#ifdef HIP
    (void)first;
#else
    check(by_name("cuDevicePrimaryCtxRetain")((uintptr_t)&first, random % 4, 0, 0, 0, 0), "retain");
    check(by_name("cuCtxSetCurrent")((uintptr_t)first, 0, 0, 0, 0, 0), "set");
#endif
    for (int i = 0; i < 5000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (kept[i % 10])
            check(entry(GIVE)(kept[i % 10], 0, 0, 0, 0, 0), GIVE);
        check(entry(TAKE)((uintptr_t)&kept[i % 10], (random >> 40) + 1, 0, 0, 0, 0), TAKE);
    }
    return NULL;
}

static void try_threads(void)
{
    pthread_t threads[8];

    for (uintptr_t i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    step("threads");
}

/* ---- the rest ---- */

static uint64_t take(uint64_t bytes)
{
    uint64_t made = 0;

    check(entry(TAKE)((uintptr_t)&made, bytes, 0, 0, 0, 0), TAKE);
    return made;
}

/* What its parent has taken is not the child's. */
static void try_fork(void)
{
    const uint64_t mine = take(70000);
    pid_t child;

    (void)take(30000);
    step("parent");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        check(entry(GIVE)(mine, 0, 0, 0, 0, 0), GIVE);
        (void)take(11111);
        tare_step(0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    step("parent");
}

/* Each time the library lies elsewhere, or in the same place. */
static void try_again(void)
{
    char *between[20];

    for (int i = 0; i < 20; i++) {
        const uint64_t made = take(4096u * (unsigned)(i + 1));

        step("open");
        check(entry(GIVE)(made, 0, 0, 0, 0, 0), GIVE);
        step("open");
        dlclose(library);
        if (dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD))
            printf("it is still loaded\n");
        between[i] = malloc(1 << 20);
        open_driver();
    }
    for (int i = 0; i < 20; i++)
        free(between[i]);
}

static void try_too_much(void)
{
    void (*limit)(uint64_t);
    void *symbol = dlsym(library, "standin_limit");
    uint64_t made;

    memcpy(&limit, &symbol, sizeof(limit));
    limit(10 << 20);
    (void)take(4 << 20);
    printf("%d\n", entry(TAKE)((uintptr_t)&made, 123456789, 0, 0, 0, 0));
    step("refused");
}

__attribute__((noinline)) static uint64_t keep_table(void)
{
    return take(65536); /* kept */
}

static void try_leak(void)
{
    for (int i = 0; i < 400; i++) {
        const uint64_t some = take(1 << 20);

        (void)keep_table();
        check(entry(GIVE)(some, 0, 0, 0, 0, 0), GIVE);
        step("leak");
        usleep(4000); /* each block is a sample where few come */
    }
}

#ifndef HIP
/* Several functions of one name, each called through its own stub. */
static void try_versions(void)
{
    static const char names[][24] = {"cuMemAllocAsync", "cuMemAllocAsync_ptsz", "alloc_async_v3"};
    any_fn *versions[4] = {look_up(names[0], VERSION, 0), look_up(names[0], VERSION, 2),
                           look_up(names[0], 14000, 0), by_name(names[0])};
    unsigned (*calls)(const char *);
    void *symbol = dlsym(library, "standin_calls");
    uint64_t made;

    memcpy(&calls, &symbol, sizeof(calls));
    for (int i = 0; i < 4; i++)
        for (int times = 0; times <= i; times++)
            check(versions[i]((uintptr_t)&made, 512, 0, 0, 0, 0), names[0]);
    printf("%u %u %u\n", calls(names[0]), calls(names[1]), calls(names[2]));
    step("versions");
    check(by_name("cuMemAlloc")((uintptr_t)&made, 77, 0, 0, 0, 0), "the function of 2009");
    check(look_up("cuMemAlloc", 3010, 0)((uintptr_t)&made, 77, 0, 0, 0, 0), "the function of 2009");
    step("versions");
}
#endif

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";

    how = argc > 1 ? argv[1] : "dlsym";
    open_driver();
    if (strcmp(what, "each") == 0)
        try_each();
    if (strcmp(what, "threads") == 0)
        try_threads();
    if (strcmp(what, "fork") == 0)
        try_fork();
    if (strcmp(what, "again") == 0)
        try_again();
    if (strcmp(what, "too_much") == 0)
        try_too_much();
    if (strcmp(what, "leak") == 0)
        try_leak();
#ifndef HIP
    if (strcmp(what, "versions") == 0)
        try_versions();
#endif
    return 0;
}
