/* opt.c - see opt.h. getopt_long parses; the messages are written here. */
#include "cli/opt.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/output/speech.h"

#define OPTIONS_MAX 40
#define LONG_BASE 1000 /* getopt's value for the n-th option of the table is LONG_BASE + n */

static bool help_wanted, complained;

bool opt_help_wanted(void)
{
    return help_wanted;
}

bool opt_complained(void)
{
    return complained;
}

bool opt_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    const double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    double size = number;

    if (end == text)
        return false;
    if (*end == 'B' && !end[1])
        end++;
    if (unit) {
        size = ldexp(number, 10 * (int)(unit - units + 1));
        end++;
        if (strcmp(end, "iB") == 0 || strcmp(end, "B") == 0)
            end += strlen(end);
    }
    if (*end || !(size >= 1) || size > 9e18)
        return false;
    *bytes = (uint64_t)size;
    return true;
}

static int complain(const char *verb, const char *what, const char *option)
{
    speech_say("%s %s; see `tare %s --help`", what, option, verb);
    complained = true;
    return -1;
}

/* Is it one of these options, so that the value before it is missing? "-" is standard output. */
static bool is_option(const struct opt *opts, const char *text)
{
    for (; text[0] == '-' && text[1] && opts->name; opts++)
        if ((text[1] == '-' && strcmp(text + 2, opts->name) == 0) ||
            (opts->letter && text[1] == opts->letter && !text[2]))
            return true;
    return false;
}

static int set(const struct opt *opts, const struct opt *opt, const char *verb, const char *value)
{
    if (opt->argument && strcmp(value, "--") == 0) {
        speech_say("--%s needs %s before `--`; see `tare %s --help`", opt->name, opt->argument, verb);
        complained = true;
        return -1;
    }
    if (opt->argument && is_option(opts, value)) {
        speech_say("--%s needs %s before %s; see `tare %s --help`", opt->name, opt->argument, value, verb);
        complained = true;
        return -1;
    }
    if (opt->flag)
        *opt->flag = true;
    if (opt->text)
        *opt->text = value;
    if (opt->list) {
        if (opt->list->count == sizeof(opt->list->items) / sizeof(opt->list->items[0]))
            return complain(verb, "given more than once:", opt->name);
        opt->list->items[opt->list->count++] = value;
    }
    if (opt->bytes && !opt_size(value, opt->bytes)) {
        const bool time = strcmp(opt->argument, "NS") == 0;
        const char *what = time ? "a number of nanoseconds" : "a size such as 64K";

        speech_say("--%s needs %s, not \"%s\"; see `tare %s --help`", opt->name, what, value, verb);
        complained = true;
        return -1;
    }
    return 0;
}

/* The two tables of getopt, made from ours. */
struct tables {
    struct option longs[OPTIONS_MAX + 2];
    char shorts[3 * OPTIONS_MAX + 4];
};

static void make_tables(struct tables *tables, const struct opt *opts, bool before)
{
    char *letter = tables->shorts;
    int count = 0;

    memset(tables, 0, sizeof(*tables));
    if (before)
        *letter++ = '+';
    *letter++ = ':';
    *letter++ = 'h';
    for (const struct opt *opt = opts; opt->name && count < OPTIONS_MAX; opt++, count++) {
        tables->longs[count] = (struct option){
            opt->name, opt->argument ? required_argument : no_argument, NULL, LONG_BASE + count};
        if (opt->letter) {
            *letter++ = opt->letter;
            if (opt->argument)
                *letter++ = ':';
        }
    }
    tables->longs[count] = (struct option){"help", no_argument, NULL, 'h'};
}

static const struct opt *find(const struct opt *opts, int value)
{
    if (value >= LONG_BASE)
        return &opts[value - LONG_BASE];
    while (opts->name && opts->letter != value)
        opts++;
    return opts;
}

/* The option as the user wrote it. For a short one getopt gives only the letter. */
static int complain_of(const char *what, char **argv)
{
    char shown[3] = {'-', (char)optopt, 0};
    const bool letter = optopt > 0 && optopt < LONG_BASE;

    return complain(argv[0], what, letter ? shown : argv[optind - 1]);
}

static int parse(const struct opt *opts, int argc, char **argv, bool before)
{
    struct tables tables;
    int value, bad = 0;

    make_tables(&tables, opts, before);
    help_wanted = complained = false;
    opterr = 0;
    optind = 0; /* starts getopt afresh, also after another table */
    while (!bad && (value = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        if (value == 'h') {
            help_wanted = true;
            return -1;
        }
        if (value == '?')
            bad = complain_of("unknown option", argv);
        else if (value == ':')
            bad = complain_of("a value is missing after", argv);
        else
            bad = set(opts, find(opts, value), argv[0], optarg);
    }
    return bad ? -1 : optind;
}

int opt_parse(const struct opt *opts, int argc, char **argv)
{
    return parse(opts, argc, argv, false);
}

int opt_parse_before(const struct opt *opts, int argc, char **argv)
{
    return parse(opts, argc, argv, true);
}

void opt_print(const struct opt *opts, FILE *out)
{
    for (; opts->name; opts++) {
        char left[64];
        char letter[8] = "    ";

        if (opts->letter)
            (void)snprintf(letter, sizeof(letter), "-%c, ", opts->letter);
        (void)snprintf(left, sizeof(left), "%s--%s%s%s", letter, opts->name,
                       opts->argument ? " " : "", opts->argument ? opts->argument : "");
        (void)fprintf(out, "  %-22s %s\n", left, opts->says);
    }
    (void)fprintf(out, "  %-22s %s\n", "-h, --help", "print this and do nothing else");
}
