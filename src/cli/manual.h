/* manual.h - manual pages, made from the option tables. */
#ifndef TARE_CLI_MANUAL_H
#define TARE_CLI_MANUAL_H

#include "cli/cli.h"

/* On standard output, for man(7); NULL: the page of tare itself. */
void manual_print(const struct verb *verb);

#endif /* TARE_CLI_MANUAL_H */
