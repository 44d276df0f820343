/* options.h - what a report is made of and what it looks like. */
#ifndef TARE_REPORT_OPTIONS_H
#define TARE_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct report_options {
    bool json;         /* JSON instead of text */
    bool color;        /* text with escape sequences for colours */
    bool verbose;      /* the full text, not one screen */
    bool redact;       /* replace names and source lines by hashes */
    bool started_here; /* this process started the program of the run; only `tare run` sets it */
    uint64_t since;    /* judge only what came after this time of CLOCK_MONOTONIC, in ns; 0: all */
};

#endif /* TARE_REPORT_OPTIONS_H */
