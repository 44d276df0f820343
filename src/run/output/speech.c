/* speech.c - see speech.h. */
#include "run/output/speech.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Names of processes, files and options come from outside, so every message is made harmless here and only
 * here. Without memory, only plain ASCII characters are printed. */
static void put_safe(FILE *out, const char *before, const char *format, va_list args)
{
    char line[2 * PATH_MAX + 1024];
    struct text safe = {0};

    (void)vsnprintf(line, sizeof(line), format, args);
    text_safe(&safe, line, strlen(line));
    for (char *at = line; safe.failed && *at; at++)
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    (void)fprintf(out, "%s%s\n", before, safe.failed ? line : text_string(&safe));
    text_free(&safe);
}

void speech_say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_safe(stderr, "tare: ", format, args);
    va_end(args);
}

int speech_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_safe(stdout, "", format, args);
    va_end(args);
    return ferror(stdout) ? -1 : 0;
}

int speech_fail(int err, const struct why *why)
{
    speech_say("%s", why->text);
    switch ((enum err)err) {
    case ERR_USAGE:
        return EXIT_USAGE;
    case ERR_FORMAT:
    case ERR_TRUNCATED:
    case ERR_VERSION:
        return EXIT_BAD_LEDGER;
    case ERR_IO:
    case ERR_ABSENT:
        return EXIT_IO;
    case ERR_NOMEM:
        break;
    }
    return EXIT_OURS;
}

bool speech_color(int fd)
{
    const char *terminal = getenv("TERM");
    const char *refused = getenv("NO_COLOR");

    return isatty(fd) && !(refused && *refused) && !(terminal && strcmp(terminal, "dumb") == 0);
}
