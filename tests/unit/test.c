/* test.c - runs the registered tests, each in a child with a time limit.
 *
 * `unit --list` prints the names; `unit NAME…` runs those; the last line counts.
 * A line per test: "ok NAME", "FAILED NAME", "skipped NAME: why".
 */
#include "test.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

#define TIME_LIMIT 60

#define SKIPPED 77
#define SKIP_REASON_MAX 200

enum outcome { OUTCOME_OK, OUTCOME_FAILED, OUTCOME_SKIPPED };

static const struct test *tests;
static char *skip_reason; /* shared with the children */
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

/* Of the address sanitizer, where there is one: a test ends by _exit, so it is asked by name. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static bool leaks(void)
{
    return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check() != 0;
}

/* The reason reaches the parent by the page they share; the status says that there is one. */
void test_skip(const char *reason)
{
    (void)snprintf(skip_reason, SKIP_REASON_MAX, "%s", reason);
    _exit(SKIPPED);
}

const char *test_directory(void)
{
    return directory;
}

bool test_still_armed(unsigned long n)
{
    bool armed = false;

    for (unsigned long i = 0; i < n && !armed; i++) {
        void *block = mem_zalloc(1);

        armed = !block;
        mem_free(block);
    }
    mem_fail_at(0);
    return armed;
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

static enum outcome run_test(const struct test *test)
{
    int status = 0;
    pid_t child;

    (void)snprintf(directory, sizeof(directory), "/tmp/tare-unit-XXXXXX");
    if (!mkdtemp(directory))
        return OUTCOME_FAILED;
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        (void)alarm(TIME_LIMIT);
        test->run();
        (void)fflush(stdout);
        _exit(leaks() ? 1 : 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = -1;
    (void)nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        return OUTCOME_SKIPPED;
    if (status != 0)
        printf("status %#x\n", (unsigned)status);
    return status == 0 ? OUTCOME_OK : OUTCOME_FAILED;
}

static bool wanted(const struct test *test, int argc, char **argv)
{
    bool any = false;

    for (int i = 1; i < argc; i++)
        any |= strcmp(argv[i], test->name) == 0;
    return any || argc == 1;
}

static void say(const struct test *test, enum outcome outcome)
{
    if (outcome == OUTCOME_SKIPPED)
        printf("skipped %s: %s\n", test->name, skip_reason);
    else
        printf("%s %s\n", outcome == OUTCOME_OK ? "ok" : "FAILED", test->name);
}

int main(int argc, char **argv)
{
    const bool list = argc == 2 && strcmp(argv[1], "--list") == 0;
    int counts[3] = {0};

    skip_reason = mmap(NULL, SKIP_REASON_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                       -1, 0);
    if (skip_reason == MAP_FAILED)
        return 1;
    for (const struct test *test = tests; test; test = test->next) {
        if (list) {
            printf("%s\n", test->name);
        } else if (wanted(test, argc, argv)) {
            const enum outcome outcome = run_test(test);

            say(test, outcome);
            counts[outcome]++;
        }
    }
    if (!list)
        printf("%d passed, %d failed, %d skipped\n", counts[OUTCOME_OK], counts[OUTCOME_FAILED],
               counts[OUTCOME_SKIPPED]);
    return counts[OUTCOME_FAILED] > 0 || (!list && counts[OUTCOME_OK] == 0);
}
