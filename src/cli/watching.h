/* watching.h - show one run on the screen until the user quits, or once on standard output. */
#ifndef TARE_CLI_WATCHING_H
#define TARE_CLI_WATCHING_H

#include "base/err.h"

/* `path`: as for feed_open. Both return 0 or a negative enum err. */
int watching_once(const char *path, struct why *why);

/* The screen must be open and stays open. Returns 0 also if a signal asks this process to end. */
int watching_screen(const char *path, struct why *why);

/* The size of a printed picture: that of the terminal, or 80 columns and as many rows as needed. */
void watching_print_size(unsigned *rows, unsigned *columns);

#endif /* TARE_CLI_WATCHING_H */
