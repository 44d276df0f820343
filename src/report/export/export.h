/* export.h - a run in the formats of other tools: for each, one line of formats.def and one function. */
#ifndef TARE_REPORT_EXPORT_H
#define TARE_REPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "doctor/verbs/profile.h"

struct export
{
    const struct run *run;
    const struct diagnosis *diagnosis;
    const struct profile *profile; /* empty for the formats that show no stacks */
    enum profile_value value;      /* for the formats that show one number per stack */
    FILE *out;
};

typedef int export_fn(const struct export *e, struct why *why);

#define FORMAT(name, stacks, binary, says) export_fn export_##name;
#include "report/export/formats.def"
#undef FORMAT

struct export_request {
    const char *format; /* its name */
    const char *value;  /* the number to show; NULL: live bytes */
    const char *output; /* path of the file; NULL: standard output */
    bool redact;        /* replace names by hashes */
};

/* ERR_USAGE: the format or the value is unknown; `why` lists the known ones. */
int export_path(const char *path, const struct export_request *request, struct why *why);

const char *export_formats(char *text, size_t size); /* "pprof, speedscope, …" */

#endif /* TARE_REPORT_EXPORT_H */
