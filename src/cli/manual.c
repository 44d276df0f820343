/* manual.c - see manual.h. */
#include "cli/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Text that roff takes as it is: dashes stay dashes, nothing begins a request. */
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

/* ---- a verb ---- */

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

static void put_verb(const struct verb *verb, const char *line, const struct opt *opts)
{
    static const struct opt help = {
        .name = "help", .says = "print a summary of these and do nothing else", .letter = 'h'};
    char name[64];

    (void)snprintf(name, sizeof(name), "tare-%s", verb->name);
    put_title(name);
    printf(".SH NAME\n");
    put(name);
    printf(" \\- ");
    put_line(verb->says);
    printf(".SH SYNOPSIS\n.B ");
    put_line(line);
    printf(".SH OPTIONS\n");
    for (; opts->name; opts++)
        put_option(opts);
    put_option(&help);
    printf(".SH SEE ALSO\n.BR tare (1)\n");
}

/* ---- the program ---- */

static void put_statuses(void)
{
    static const struct {
        int status;
        const char *says;
    } list[] = {
        {EXIT_CLEAN, "nothing leaks, or what was asked for was done"},
        {EXIT_LEAK, "a leak was found, or a limit was passed"},
        {EXIT_USAGE, "the command line is wrong"},
        {EXIT_UNDECIDED, "not enough evidence to say"},
        {EXIT_BAD_LEDGER, "what a run left behind cannot be read"},
        {EXIT_OURS, "a fault of tare's own"},
        {EXIT_IO, "a file could not be read or written"},
        {EXIT_CANNOT_EXECUTE, "the program is there and cannot be executed"},
        {EXIT_NOT_FOUND, "there is no such program"},
    };

    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        printf(".TP\n.B %d\n", list[i].status);
        put_line(list[i].says);
    }
    printf(".PP\n");
    put_line("tare run gives the program's own status, unless --exit-code asks for the verdict's.");
}

static void put_program(void)
{
    put_title("tare");
    printf(".SH NAME\ntare \\- does this program's memory leak, where, and what to change\n"
           ".SH SYNOPSIS\n.B tare\n.I VERB\n[options] [operands]\n.br\n.B tare run \\-\\-\n"
           ".I COMMAND\n[argument]...\n.SH VERBS\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++) {
        printf(".TP\n.BR tare\\-%s (1)\n", verb->name);
        put_line(verb->says);
    }
    put_statuses();
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
