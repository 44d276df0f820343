/* manual.c - see manual.h. */
#include "cli/manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Text escaped for roff: dashes stay dashes, and no line is taken for a request. */
static void put(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    while (*text) {
        uint32_t character = 0;
        size_t length = text_character(text, strlen(text), &character);

        if (length == 0)
            length = 1;
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else if (length > 1)
            printf("\\[u%04X]", (unsigned)character);
        else
            putchar(*text);
        text += length;
    }
}

static void put_line(const char *text)
{
    put(text);
    putchar('\n');
}

static void put_title(const char *name)
{
    printf(".TH ");
    for (; *name; name++)
        putchar(toupper((unsigned char)*name));
    printf(" 1 \"\" \"tare %s\" \"User Commands\"\n", TARE_VERSION);
}

/* ---- sections of several pages ---- */

static void put_item(const char *bold, const char *says)
{
    printf(".TP\n\\fB");
    put(bold);
    printf("\\fR\n");
    put_line(says);
}

/* `judges`: the verb can exit with a verdict. */
static void put_statuses(bool judges)
{
    static const struct {
        int status;
        bool verdict; /* only of verbs that judge */
        const char *says;
    } list[] = {
        {EXIT_CLEAN, false, "No leak was found, or the work was done."},
        {EXIT_LEAK, true, "A leak was found, or a limit was exceeded."},
        {EXIT_USAGE, false, "The command line is wrong."},
        {EXIT_UNDECIDED, true, "There is not enough evidence to say."},
        {EXIT_BAD_LEDGER, false, "The files of the run cannot be read."},
        {EXIT_OURS, false, "An error in tare itself."},
        {EXIT_IO, false, "A file could not be read or written."},
    };

    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (judges || !list[i].verdict)
            printf(".TP\n.B %d\n%s\n", list[i].status, list[i].says);
}

static void put_run_status(void)
{
    put_item("126", "The command cannot be executed.");
    put_item("127", "The command does not exist.");
    printf(".PP\n");
    put_line("tare run returns the status of the program, or 128 + N if signal N ended it. With --exit-code "
             "it returns that of the verdict.");
}

static void put_files(void)
{
    printf(".SH FILES\n");
    put_item("tare-run-PROGRAM-PID/",
             "The run, a directory below the current one; -o chooses another. It holds run.tare "
             "(the run seen from outside) and one PID.GENERATION.tare for each traced process.");
}

static void put_environment(void)
{
    printf(".SH ENVIRONMENT\n");
    put_item("TARE_OFF", "1: programs run without the probe.");
    put_item("NO_COLOR", "Set: no colours in the terminal.");
    printf(".PP\n");
    put_line("tare run sets these for the program; they are not for users: LD_PRELOAD, PYTHONPATH and "
             "NODE_OPTIONS begin with the probe and its adapters, TARE_DIR is the directory of the run, "
             "TARE_LINES holds the functions of tare lines, TARE_TRY and TARE_TRY_MODELS the remedy of "
             "--try.");
}

/* ---- a verb ---- */

struct manual_text {
    const char *verb;
    bool judges;
    const char *says;
    const char *examples[9]; /* pairs; NULL ends them */
};

static const struct manual_text *text_of(const char *verb)
{
    static const struct manual_text texts[] = {
#define MANUAL(verb, judges, says, ...) {#verb, judges, says, {__VA_ARGS__}},
#include "cli/manual.def"
#undef MANUAL
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(texts[i].verb, verb) == 0)
            return &texts[i];
    return NULL;
}

static void put_option(const struct opt *opt)
{
    printf(".TP\n");
    if (opt->letter)
        printf("\\fB\\-%c\\fR, ", opt->letter);
    printf("\\fB\\-\\-");
    put(opt->name);
    printf("\\fR");
    if (opt->argument) {
        printf(" \\fI");
        put(opt->argument);
        printf("\\fR");
    }
    putchar('\n');
    put_line(opt->says);
}

static void put_examples(const char *const *examples)
{
    printf(".SH EXAMPLES\n");
    for (; examples[0]; examples += 2)
        put_item(examples[0], examples[1]);
}

static void put_verb(const struct verb *verb, const char *line, const struct opt *opts)
{
    static const struct opt help = {
        .name = "help", .says = "print a summary of these and do nothing else", .letter = 'h'};
    const struct manual_text *text = text_of(verb->name);
    const bool runs = strcmp(verb->name, "run") == 0;
    char name[64];

    (void)snprintf(name, sizeof(name), "tare-%s", verb->name);
    put_title(name);
    printf(".SH NAME\n");
    put(name);
    printf(" \\- ");
    put_line(verb->says);
    printf(".SH SYNOPSIS\n.B ");
    put_line(line);
    printf(".SH DESCRIPTION\n");
    put_line(text ? text->says : verb->says);
    printf(".SH OPTIONS\n");
    for (; opts->name; opts++)
        put_option(opts);
    put_option(&help);
    if (text)
        put_examples(text->examples);
    put_statuses(text && text->judges);
    if (runs) {
        put_run_status();
        put_environment();
    }
    put_files();
    printf(".SH SEE ALSO\n.BR tare (1)\n");
}

/* ---- the program ---- */

static void put_program(void)
{
    static const char *const examples[] = {
        "tare run -- python train.py", "Run a program and say whether its memory leaks.",
        "tare view tare-run-python-4711", "Show that run in the browser.",
        "tare help run", "Explain the options of a verb.", NULL};

    put_title("tare");
    printf(".SH NAME\ntare \\- does this program's memory leak, where, and what to change\n"
           ".SH SYNOPSIS\n.B tare\n.I VERB\n[options] [operands]\n.br\n.B tare run \\-\\-\n"
           ".I COMMAND\n[argument]...\n.SH DESCRIPTION\n");
    put_line("tare runs a program unchanged, samples its allocations, and says whether memory "
             "leaks: at which "
             "line, what holds it, and what to change. It knows Python, Node and native code, PyTorch, "
             "TensorFlow and TensorFlow.js.");
    printf(".SH VERBS\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++) {
        printf(".TP\n.BR tare\\-%s (1)\n", verb->name);
        put_line(verb->says);
    }
    put_examples(examples);
    put_statuses(true);
    put_run_status();
    put_environment();
    put_files();
    printf(".SH SEE ALSO\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++)
        printf(".BR tare\\-%s (1)%s\n", verb->name, verb[1].name ? "," : "");
}

void manual_print(const struct verb *verb)
{
    if (verb)
        cli_describe(verb, put_verb);
    else
        put_program();
}
