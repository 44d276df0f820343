/* cli.h - what every verb shares: finding the verb, speaking to the user, exit codes. */
#ifndef TARE_CLI_CLI_H
#define TARE_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "cli/opt.h"

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

struct verb {
    const char *name;
    const char *says;
    int (*run)(int argc, char **argv); /* argv[0] is the verb */
};

#define VERB(name, says) int cmd_##name(int argc, char **argv);
#include "cli/verbs.def"
#undef VERB

int cli_main(int argc, char **argv);

/* The verbs in the order of verbs.def; the last has no name. */
const struct verb *cli_verbs(void);
const struct verb *cli_verb(const char *name); /* NULL: there is no such verb */

/* One sentence on standard error, after "tare: ". What would do harm to a terminal is written as escapes,
 * as text_safe does, here and in cli_print: nobody else in src/cli prints what may come from outside. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line on standard output; negative: it could not be written. */
int cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says why, and returns the exit code that belongs to the error. */
int cli_fail(int err, const struct why *why);

/* Called when opt_parse gave no operand to work with: prints the help if it was asked for, else
 * one sentence unless opt_parse said it already. `line` is "tare VERB [options] …". */
int cli_usage(const char *line, const struct opt *opts);

/* Hands a verb's usage line and option table to `tell`, instead of running it. */
typedef void cli_tell_fn(const struct verb *verb, const char *line, const struct opt *opts);
void cli_describe(const struct verb *verb, cli_tell_fn *tell);

/* What SIGPIPE did before tare ignored it: the user's program gets this back. */
const struct sigaction *cli_pipe_action(void);

/* True if colour suits the terminal behind this descriptor. */
bool cli_color(int fd);

#endif /* TARE_CLI_CLI_H */
