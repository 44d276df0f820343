/* finish.h - the end of a run: the report on standard error, as JSON and as a page where asked for. */
#ifndef TARE_CLI_FINISH_H
#define TARE_CLI_FINISH_H

#include <stdbool.h>

struct finish {
    const char *directory; /* of the run, absolute */
    const char *json;      /* file to write, "-" for standard output; NULL: none */
    const char *html;      /* the same for the page */
    bool started_here;     /* this process started the program */
    bool redact;           /* names become hashes */
    bool report;           /* print the text */
    bool verdict;          /* the verdict's exit code is wanted */
};

/* Says at once, before the program is started, if this file will not be writable: false. `what`
 * there will be none of then. */
bool finish_check(const char *file, const char *what);

/* The page of the run at `run` as the file `path` ("-": standard output). The exit code of the
 * verdict, or that of what went wrong, which has been said. */
int finish_page(const char *run, const char *path, bool redact);

/* Makes the reports. Returns the exit code of the verdict, or that of what went wrong, which has
 * been said. 0 where no verdict was asked for. */
int finish_run(const struct finish *finish);

/* The flight recorder: the diagnosis of a run that is still going on, as flight.json and flight.txt in
 * its directory; `why`: what it was written for. 0, or an exit code whose reason has been said. */
int finish_flight(const char *directory, const char *why);

#endif /* TARE_CLI_FINISH_H */
