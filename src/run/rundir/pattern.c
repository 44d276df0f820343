/* pattern.c - see pattern.h. */
#include "run/rundir/pattern.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Puts the meaning of a letter into text[size]. False: the letter has none. */
static int find(char letter, const char *program, char *text, size_t size)
{
    const char *slash = strrchr(program, '/');

    switch (letter) {
    case 'p':
        return snprintf(text, size, "%d", (int)getpid()) > 0;
    case 'h':
        if (gethostname(text, size) != 0)
            (void)snprintf(text, size, "localhost");
        text[size - 1] = 0;
        return 1;
    case 'e':
        return snprintf(text, size, "%s", slash ? slash + 1 : program) >= 0;
    case '%':
        return snprintf(text, size, "%%") > 0;
    default:
        return 0;
    }
}

int pattern_expand(char *out, size_t size, const char *pattern, const char *program,
                   struct why *why)
{
    size_t length = 0;

    for (const char *at = pattern; *at; at++) {
        char part[256] = {*at, 0};

        if (*at == '%' && !find(*++at, program, part, sizeof(part)))
            return fail(
                why, ERR_USAGE,
                "\"%s\": in the name of a directory, only p, h, e or %% may follow a percent sign",
                pattern);
        if (length + strlen(part) >= size)
            return fail(why, ERR_USAGE, "\"%s\": the name is too long", pattern);
        memcpy(out + length, part, strlen(part) + 1);
        length += strlen(part);
    }
    out[length] = 0;
    return 0;
}
