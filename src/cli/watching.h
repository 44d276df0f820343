/* watching.h - one run on the screen until the user has seen enough, or once on standard output. */
#ifndef TARE_CLI_WATCHING_H
#define TARE_CLI_WATCHING_H

#include "base/err.h"

/* `path` as feed_open takes it. Both return 0 or a negative enum err. */
int watching_once(const char *path, struct why *why);

/* The screen is open already, and stays so. Returns 0 also when a signal asks us to end. */
int watching_screen(const char *path, struct why *why);

/* The size of a picture that is printed: the terminal's, or 80 columns and as many rows as it
 * takes. */
void watching_print_size(unsigned *rows, unsigned *columns);

#endif /* TARE_CLI_WATCHING_H */
