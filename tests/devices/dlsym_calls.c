/* dlsym_calls.c - every kind of dlsym call, whose answers must be the same with and without the probe.
 *
 * Built four times: as the program, with -DFIRST and -DSECOND as two libraries that both have `answer` and
 * `ask_next`, and with -DOTHER as a library (or with -DOTHER in the program) that has a dlsym of its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef OTHER
__attribute__((visibility("default"))) void *dlsym(void *scope, const char *name)
{
    static void *(*real)(void *, const char *);

    if (!real)
        real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    if (strncmp(name, "other_", 6) == 0)
        return stdout;
    return real(scope, name);
}
#endif

#if defined(FIRST) || defined(SECOND)
#ifdef FIRST
#define MY(name) first_##name
int answer(void) { return 1; }
#else
#define MY(name) second_##name
int answer(void) { return 2; }
#endif

int MY(next)(void);
int MY(default)(void);

/* 0: there is none */
int MY(next)(void)
{
    int (*found)(void) = dlsym(RTLD_NEXT, "answer");

    return found ? found() : 0;
}

int MY(default)(void)
{
    int (*found)(void) = dlsym(RTLD_DEFAULT, "answer");

    return found ? found() : 0;
}
#elif !defined(OTHER) || defined(PROGRAM)
int first_next(void);
int first_default(void);
int second_next(void);

static void show(const char *what, const void *found)
{
    const char *error = dlerror();

    printf("%s: %s, %s\n", what, found ? "found" : "nothing", error ? strrchr(error, ':') : "no error");
}

/* These begin like a driver's. */
int cuTomise(void);
int cuTomise(void)
{
    return 7;
}

int main(int argc, char **argv)
{
    void *local = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *self = dlopen(NULL, RTLD_NOW), *found;
    int (*of_local)(void);

    (void)argc;
    printf("%d %d %d\n", first_next(), first_default(), second_next());
    of_local = local ? dlsym(local, "second_default") : NULL;
    printf("%d\n", of_local ? of_local() : -1);
    show("printf", dlsym(RTLD_DEFAULT, "printf"));
    show("absent", dlsym(RTLD_DEFAULT, "absent"));
    show("absent next", dlsym(RTLD_NEXT, "absent"));
    show("empty", dlsym(self, ""));
    show("c", dlsym(self, "c"));
    show("cu", dlsym(self, "cu"));
    show("hip", dlsym(self, "hip"));
    show("cuTomise", dlsym(self, "cuTomise"));
#ifndef OTHER /* it would find what we export */
    show("cuMemAlloc_v2", dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
    show("cuMemAlloc_v2 next", dlsym(RTLD_NEXT, "cuMemAlloc_v2"));
    show("cuMemAlloc_v2 self", dlsym(self, "cuMemAlloc_v2"));
    show("hipMalloc", dlsym(RTLD_DEFAULT, "hipMalloc"));
#endif
    show("cuInit", dlsym(RTLD_DEFAULT, "cuInit"));
    show("dlsym", found = dlsym(RTLD_DEFAULT, "dlsym"));
    show("by it", found ? ((void *(*)(void *, const char *))found)(RTLD_DEFAULT, "printf") : NULL);
#ifdef OTHER
    show("other_name", dlsym(RTLD_DEFAULT, "other_name"));
#endif
    return 0;
}
#endif
