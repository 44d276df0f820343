/* cli.h - shared by all verbs: find a verb, its usage line and its options. */
#ifndef TARE_CLI_CLI_H
#define TARE_CLI_CLI_H

#include "cli/opt.h"
#include "run/output/speech.h"

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

/* Call it if opt_parse returned no operand: prints the help if it was requested, else one sentence unless
 * opt_parse has already printed one. `line` is "tare VERB [options] …". */
int cli_usage(const char *line, const struct opt *opts);

/* Passes a verb's usage line and option table to `tell`, and does not run the verb. */
typedef void cli_tell_fn(const struct verb *verb, const char *line, const struct opt *opts);
void cli_describe(const struct verb *verb, cli_tell_fn *tell);

#endif /* TARE_CLI_CLI_H */
