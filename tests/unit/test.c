/* test.c - runs the registered tests, each in a child with a time limit.
 *
 * `unit --list` prints the names; `unit NAME…` runs those; the last line counts.
 * A line per test: "ok NAME", "FAILED NAME".
 */
#include "test.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_LIMIT 60

static const struct test *tests;
static char directory[64];

void test_register(struct test *test)
{
    test->next = tests;
    tests = test;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list args;

    printf("%s:%d: ", file, line);
    va_start(args, format);
    (void)vprintf(format, args);
    va_end(args);
    printf("\n");
    (void)fflush(stdout);
    _exit(1);
}

const char *test_directory(void)
{
    return directory;
}

bool test_is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#else
    return false;
#endif
#else
    return false;
#endif
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

static bool passes(const struct test *test)
{
    int status = 0;
    pid_t child;

    (void)snprintf(directory, sizeof(directory), "/tmp/tare-unit-XXXXXX");
    if (!mkdtemp(directory))
        return false;
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        (void)alarm(TIME_LIMIT);
        test->run();
        (void)fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = -1;
    (void)nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (status != 0)
        printf("status %#x\n", (unsigned)status);
    return status == 0;
}

static bool wanted(const struct test *test, int argc, char **argv)
{
    bool any = false;

    for (int i = 1; i < argc; i++)
        any |= strcmp(argv[i], test->name) == 0;
    return any || argc == 1;
}

int main(int argc, char **argv)
{
    const bool list = argc == 2 && strcmp(argv[1], "--list") == 0;
    int passed = 0, failed = 0;

    for (const struct test *test = tests; test; test = test->next) {
        if (list) {
            printf("%s\n", test->name);
        } else if (wanted(test, argc, argv)) {
            const bool ok = passes(test);

            printf("%s %s\n", ok ? "ok" : "FAILED", test->name);
            passed += ok;
            failed += !ok;
        }
    }
    if (!list)
        printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0 || (!list && passed == 0);
}
