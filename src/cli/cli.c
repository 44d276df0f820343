/* cli.c - see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/text.h"

static const struct verb verbs[] = {
#define VERB(name, says) {#name, says, cmd_##name},
#include "cli/verbs.def"
#undef VERB
    {0},
};

static struct sigaction pipe_action;
static cli_tell_fn *telling; /* set while a verb is asked for its table */
static const struct verb *told;

const struct verb *cli_verbs(void)
{
    return verbs;
}

const struct verb *cli_verb(const char *name)
{
    for (const struct verb *verb = verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

const struct sigaction *cli_pipe_action(void)
{
    return &pipe_action;
}

/* Names of processes, files and options come from outside: whatever a message holds, it is made harmless
 * here and nowhere else. Without memory only what is plain ASCII is left. */
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

void cli_say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_safe(stderr, "tare: ", format, args);
    va_end(args);
}

int cli_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_safe(stdout, "", format, args);
    va_end(args);
    return ferror(stdout) ? -1 : 0;
}

int cli_fail(int err, const struct why *why)
{
    cli_say("%s", why->text);
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

void cli_describe(const struct verb *verb, cli_tell_fn *tell)
{
    char name[32], help[] = "--help";
    char *words[] = {name, help, NULL};

    (void)snprintf(name, sizeof(name), "%s", verb->name);
    told = verb;
    telling = tell;
    (void)verb->run(2, words);
    telling = NULL;
}

int cli_usage(const char *line, const struct opt *opts)
{
    if (telling) {
        telling(told, line, opts);
        return EXIT_CLEAN;
    }
    if (opt_help_wanted()) {
        (void)cli_print("usage: %s", line);
        opt_print(opts, stdout);
        return EXIT_CLEAN;
    }
    if (!opt_complained())
        cli_say("the command should be: %s", line);
    return EXIT_USAGE;
}

bool cli_color(int fd)
{
    const char *terminal = getenv("TERM");
    const char *refused = getenv("NO_COLOR");

    return isatty(fd) && !(refused && *refused) && !(terminal && strcmp(terminal, "dumb") == 0);
}

/* A closed standard descriptor would be given to the next file we open, and our words would land
 * there. The program must find it closed all the same: hence close-on-exec. */
static void fill_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        (void)close(fd);
}

static void ignore_broken_pipes(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigaction(SIGPIPE, &ignore, &pipe_action);
}

/* Whoever reads our output may stop reading (`| head`); that is no error of ours. */
static int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (errno == EPIPE || errno == 0)
        return code;
    cli_say("standard output could not be written: %s", strerror(errno));
    return EXIT_IO;
}

static int no_verb(const char *word)
{
    if (word[0] == '-')
        cli_say("there is no option %s; see `tare help`", word);
    else
        cli_say("there is no verb \"%s\"; see `tare help`", word);
    return EXIT_USAGE;
}

static int choose(int argc, char **argv)
{
    char help[] = "help";
    char *ask_help[] = {help, NULL};
    const char *word = argc > 1 ? argv[1] : NULL;
    const struct verb *verb;

    if (!word) {
        cli_say("say what to do, for example: tare run -- ./program; see `tare help`");
        return EXIT_USAGE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        (void)cli_print("tare %s", TARE_VERSION);
        return EXIT_CLEAN;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return cmd_help(1, ask_help);
    verb = cli_verb(word);
    return verb ? verb->run(argc - 1, argv + 1) : no_verb(word);
}

int cli_main(int argc, char **argv)
{
    fill_standard_descriptors();
    ignore_broken_pipes();
    guard_install();
    return finish_output(choose(argc, argv));
}
