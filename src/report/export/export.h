/* export.h - a run in the forms of other tools. One line of formats.def and one function each. */
#ifndef TARE_REPORT_EXPORT_H
#define TARE_REPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "doctor/verbs/profile.h"

struct export
{
    const struct run *run;
    const struct diagnosis *diagnosis;
    const struct profile *profile; /* filled only for the forms that show stacks */
    enum profile_value value;      /* of the forms that have room for one */
    FILE *out;
};

typedef int export_fn(const struct export *e, struct why *why);

#define FORMAT(name, stacks, binary, says) export_fn export_##name;
#include "report/export/formats.def"
#undef FORMAT

struct export_request {
    const char *format;
    const char *value;  /* NULL: bytes alive */
    const char *output; /* NULL: standard output */
    bool redact;
};

/* ERR_USAGE: there is no such format or value; `why` says which there are. */
int export_path(const char *path, const struct export_request *request, struct why *why);

const char *export_formats(char *text, size_t size); /* "pprof, speedscope, …" */

#endif /* TARE_REPORT_EXPORT_H */
