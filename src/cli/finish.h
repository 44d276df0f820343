/* finish.h - the end of a run: the report on standard error, the same as JSON where asked for. */
#ifndef TARE_CLI_FINISH_H
#define TARE_CLI_FINISH_H

#include <stdbool.h>

struct finish {
    const char *directory; /* of the run, absolute */
    const char *json;      /* file to write, "-" for standard output; NULL: none */
    bool report;           /* print the text */
    bool verdict;          /* the verdict's exit code is wanted */
};

/* Says at once, before the program is started, if `json` will not be writable: false. */
bool finish_check(const char *json);

/* Makes the reports. Returns the exit code of the verdict, or that of what went wrong, which has
 * been said. 0 where no verdict was asked for. */
int finish_run(const struct finish *finish);

/* The flight recorder: the diagnosis of a run that is still going on, as flight.json and flight.txt in
 * its directory; `why`: what it was written for. 0, or an exit code whose reason has been said. */
int finish_flight(const char *directory, const char *why);

#endif /* TARE_CLI_FINISH_H */
