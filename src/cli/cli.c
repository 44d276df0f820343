/* cli.c - see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "run/start/signals.h"

static const struct verb verbs[] = {
#define VERB(name, says) {#name, says, cmd_##name},
#include "cli/verbs.def"
#undef VERB
    {0},
};

static cli_tell_fn *telling; /* set while a verb describes itself */
static const struct verb *described;

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

void cli_describe(const struct verb *verb, cli_tell_fn *tell)
{
    char name[32], help[] = "--help";
    char *words[] = {name, help, NULL};

    (void)snprintf(name, sizeof(name), "%s", verb->name);
    described = verb;
    telling = tell;
    (void)verb->run(2, words);
    telling = NULL;
}

int cli_usage(const char *line, const struct opt *opts)
{
    if (telling) {
        telling(described, line, opts);
        return EXIT_CLEAN;
    }
    if (opt_help_wanted()) {
        (void)speech_print("usage: %s", line);
        opt_print(opts, stdout);
        return EXIT_CLEAN;
    }
    if (!opt_complained())
        speech_say("usage: %s", line);
    return EXIT_USAGE;
}

/* If a standard descriptor is closed, the next file that we open would get its number, and our messages
 * would be written there. So it is opened; close-on-exec, because the program must still find it closed. */
static void fill_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        (void)close(fd);
}

/* The reader of our output may stop reading (`| head`); that is not an error. */
static int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (errno == EPIPE || errno == 0)
        return code;
    speech_say("standard output could not be written: %s", strerror(errno));
    return EXIT_IO;
}

static int no_verb(const char *word)
{
    if (word[0] == '-')
        speech_say("unknown option %s; see `tare help`", word);
    else
        speech_say("unknown verb \"%s\"; see `tare help`", word);
    return EXIT_USAGE;
}

static int choose(int argc, char **argv)
{
    char help[] = "help";
    char *ask_help[] = {help, NULL};
    const char *word = argc > 1 ? argv[1] : NULL;
    const struct verb *verb;

    if (!word) {
        speech_say("a verb is missing, for example: tare run -- ./program; see `tare help`");
        return EXIT_USAGE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        (void)speech_print("tare %s", TARE_VERSION);
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
    signals_ignore_pipe();
    guard_install();
    return finish_output(choose(argc, argv));
}
