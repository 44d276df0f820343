/* opt.h - one table per verb: it parses, and it is the help text, the manual and the completion. */
#ifndef TARE_CLI_OPT_H
#define TARE_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The values of an option that may be given several times. */
struct opt_list {
    const char *items[32]; /* borrowed from argv */
    size_t count;
};

struct opt {
    const char *name; /* without dashes; NULL ends the table */
    const char *says;     /* what it does, for the help */
    char letter;          /* the short form; 0: none */
    const char *argument; /* name of its value, in capitals; NULL: a flag without a value */
    /* Exactly one of these four is set: */
    bool *flag;            /* set to true */
    const char **text;     /* set to the value, which is borrowed from argv */
    uint64_t *bytes;       /* set to a size such as 4096, 64K or 2G */
    struct opt_list *list; /* gets one more value */
    const char *choices;   /* possible values, separated by blanks, for completion; NULL: any */
};

/* Stores the values of all options. Returns the index of the first operand, or a negative number if the
 * user requested help or if opt_parse has reported an error; then the caller returns cli_usage(). Options
 * may stand among the operands, which are moved to the end; "--" ends the options. */
int opt_parse(const struct opt *opts, int argc, char **argv);

/* The same, but the first operand ends the options: the rest is the command line of a program. */
int opt_parse_before(const struct opt *opts, int argc, char **argv);

bool opt_help_wanted(void); /* the last parse found --help */
bool opt_complained(void);  /* the last parse has reported an error */

void opt_print(const struct opt *opts, FILE *out);

/* Reads "4096", "64K", "64KiB" or "1.5G". False: it is not a size, or 0, or too large. */
bool opt_size(const char *text, uint64_t *bytes);

#endif /* TARE_CLI_OPT_H */
