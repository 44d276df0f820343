/* completion.h - completion for shells, made from the option tables. */
#ifndef TARE_CLI_COMPLETION_H
#define TARE_CLI_COMPLETION_H

/* On standard output; returns the exit code. */
int completion_print(const char *shell);

#endif /* TARE_CLI_COMPLETION_H */
