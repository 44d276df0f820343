/* say.h - print without the heap: stdio would allocate its buffer among the blocks being counted. */
#ifndef TARE_TESTS_SAY_H
#define TARE_TESTS_SAY_H

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...)
{
    char line[512];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (length > 0 && write(1, line, (size_t)length) != length)
        _exit(99);
}

#endif /* TARE_TESTS_SAY_H */
