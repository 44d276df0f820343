/* finish.h - the end of a run: the report on standard error, as JSON and as a page if requested. */
#ifndef TARE_RUN_FINISH_H
#define TARE_RUN_FINISH_H

#include <stdbool.h>

struct finish {
    const char *directory; /* of the run, absolute */
    const char *json;      /* file to write, "-" for standard output; NULL: none */
    const char *html;      /* the same for the page */
    bool started_here;     /* this process started the program */
    bool redact;           /* replace names by hashes */
    bool verbose;          /* the full text, not the short one */
    bool report;           /* print the text */
    bool verdict;          /* return the exit code of the verdict */
};

/* Call it before the program starts: false, with a message, if this file cannot be written. `what`: what will
 * be missing, for the message. */
bool finish_check(const char *file, const char *what);

/* The page of the run at `run` as the file `path` ("-": standard output). Returns the exit code of
 * the verdict, or of an error that was reported. */
int finish_page(const char *run, const char *path, bool redact);

/* Makes the reports. Returns the exit code of the verdict, or of an error that was reported; 0 if
 * no verdict was requested. */
int finish_run(const struct finish *finish);

/* The flight recorder: the diagnosis of a run that still runs, as flight.json and flight.txt in its
 * directory. `why`: the reason for it. 0, or the exit code of an error that was reported. */
int finish_flight(const char *directory, const char *why);

#endif /* TARE_RUN_FINISH_H */
