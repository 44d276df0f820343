/* speech.h - messages to the user: lines on the terminal, and exit codes. */
#ifndef TARE_RUN_SPEECH_H
#define TARE_RUN_SPEECH_H

#include <stdbool.h>

#include "base/err.h"

enum exit_code {
    EXIT_CLEAN = 0,
    EXIT_LEAK = 1,
    EXIT_USAGE = 2,
    EXIT_UNDECIDED = 3,
    EXIT_BAD_LEDGER = 65,
    EXIT_OURS = 70,
    EXIT_IO = 74,
    EXIT_CANNOT_EXECUTE = 126, /* as a shell says it */
    EXIT_NOT_FOUND = 127
};

/* One sentence on standard error, after "tare: ". Characters that could harm a terminal are
 * escaped, as text_safe does, here and in speech_print. No other file in src/run and src/cli prints
 * text from outside. */
void speech_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line on standard output; negative: it could not be written. */
int speech_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints why, and returns the exit code of the error. */
int speech_fail(int err, const struct why *why);

/* Is this descriptor a terminal that may show colours? */
bool speech_color(int fd);

#endif /* TARE_RUN_SPEECH_H */
