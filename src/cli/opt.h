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
    const char *says;
    char letter;          /* 0: there is no short form */
    const char *argument; /* what follows it, in capitals; NULL for a flag */
    bool *flag;           /* where the value goes: exactly one of these is set */
    const char **text;    /* borrowed from argv */
    uint64_t *bytes;      /* a size such as 4096, 64K or 2G */
    struct opt_list *list;
    const char *choices;  /* what may follow it, separated by blanks, for completion; NULL: anything */
};

/* Fills in what the options point to. Returns the index of the first operand, or a negative number
 * if the user asked for help, or if opt_parse has reported an error (cli_usage ends it).
 * Options may stand among the operands, which are moved to the end; "--" ends the options. */
int opt_parse(const struct opt *opts, int argc, char **argv);

/* The same, but the first operand ends the options: what follows is someone else's command line. */
int opt_parse_before(const struct opt *opts, int argc, char **argv);

bool opt_help_wanted(void); /* the last parse found --help */
bool opt_complained(void);  /* the last parse has reported an error */

void opt_print(const struct opt *opts, FILE *out);

/* "4096", "64K", "64KiB", "1.5G": false if it is none of that, or 0, or too large. */
bool opt_size(const char *text, uint64_t *bytes);

#endif /* TARE_CLI_OPT_H */
