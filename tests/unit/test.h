/* test.h - a small test harness: tests register themselves, each runs in a process of its own. */
#ifndef TARE_TESTS_UNIT_TEST_H
#define TARE_TESTS_UNIT_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct test {
    const char *name;
    void (*run)(void);
    const struct test *next;
};

void test_register(struct test *test);
void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A temporary directory of this test, removed after it. */
const char *test_directory(void);
/* Ends this test as skipped, by name, with the reason. */
void test_skip(const char *reason) __attribute__((noreturn));
/* Built with a sanitizer: measured times and sizes mean nothing. */
bool test_is_sanitized(void);
/* After mem_fail_at(n): true if the request that was to fail has not been made so far. Disarms it. */
bool test_still_armed(unsigned long n);

#define TEST(test_name)                                                                          \
    static void test_name(void);                                                                 \
    __attribute__((constructor)) static void register_##test_name(void)                          \
    {                                                                                            \
        static struct test self = {#test_name, test_name, NULL};                                 \
        test_register(&self);                                                                    \
    }                                                                                            \
    static void test_name(void)

#define CHECK(condition)                                                                         \
    do {                                                                                         \
        if (!(condition))                                                                        \
            test_fail(__FILE__, __LINE__, "not true: %s", #condition);                           \
    } while (0)

#define CHECK_EQ(got, want)                                                                      \
    do {                                                                                         \
        const intmax_t got_ = (intmax_t)(got), want_ = (intmax_t)(want);                         \
        if (got_ != want_)                                                                       \
            test_fail(__FILE__, __LINE__, "%s is %jd, want %s = %jd", #got, got_, #want, want_); \
    } while (0)

#define CHECK_TEXT(got, want)                                                                    \
    do {                                                                                         \
        const char *got_ = (got), *want_ = (want);                                               \
        if (!got_ || strcmp(got_, want_) != 0)                                                   \
            test_fail(__FILE__, __LINE__, "%s is \"%s\", want \"%s\"", #got,                     \
                      got_ ? got_ : "(null)", want_);                                            \
    } while (0)

#define CHECK_CONTAINS(text, part)                                                               \
    do {                                                                                         \
        const char *text_ = (text), *part_ = (part);                                             \
        if (!text_ || !strstr(text_, part_))                                                     \
            test_fail(__FILE__, __LINE__, "\"%s\" is not in \"%s\"", part_,                      \
                      text_ ? text_ : "(null)");                                                 \
    } while (0)

#endif /* TARE_TESTS_UNIT_TEST_H */
