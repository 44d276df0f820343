/* err.h - how a function says that it failed, and why.
 *
 * A library function returns 0 or a positive count, or one of these negative codes; its last
 * parameter is a struct why that then holds one line a person can act on.
 */
#ifndef TARE_BASE_ERR_H
#define TARE_BASE_ERR_H

enum err {
    ERR_NOMEM = -1,     /* our own heap is exhausted */
    ERR_IO = -2,        /* the system refused a file, a map or a process */
    ERR_FORMAT = -3,    /* these bytes are not what they claim to be */
    ERR_TRUNCATED = -4, /* the bytes end too early */
    ERR_VERSION = -5,   /* written by a newer tare */
    ERR_USAGE = -6,     /* the command line is wrong */
    ERR_ABSENT = -7     /* the requested thing does not exist */
};

struct why {
    char text[512]; /* always terminated; empty until fail() fills it */
};

/* What a system error number means, in English. strerror translates under the lock of setlocale;
 * called inside a malloc of setlocale it would release that lock. */
const char *err_words(int number);

/* Writes the reason and returns `code`, so that a caller can `return fail(...)`. */
int fail(struct why *why, enum err code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* TARE_BASE_ERR_H */
