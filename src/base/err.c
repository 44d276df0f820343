/* err.c - fail(): the one place where an error becomes words. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *err_words(int number)
{
    const char *words = strerrordesc_np(number);

    return words ? words : "unknown error";
}

int fail(struct why *why, enum err code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(why->text, sizeof(why->text), format, args);
    va_end(args);
    return code;
}
