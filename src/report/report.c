/* report.c - from ledgers on disk to a report. */
#include "report/forms.h"

#include <unistd.h>

#include "ledger/model.h"

/* A path that leads nowhere is the system's refusal; a directory without ledgers is a bad run. */
int report_load(struct run *run, const char *path, struct why *why)
{
    const int err = run_load(run, path, why);

    if (err != ERR_ABSENT)
        return err;
    return access(path, F_OK) == 0 ? ERR_FORMAT : ERR_IO;
}

int report_path(const char *path, const struct report_options *options, FILE *out, struct why *why)
{
    struct diagnosis diagnosis = {0};
    struct run run = {0};
    int err = report_load(&run, path, why);

    if (!err)
        err = diagnose(&diagnosis, &run, why);
    if (!err && options->json)
        report_json(&diagnosis, out);
    else if (!err)
        report_text(&diagnosis, options, out);
    if (!err)
        err = (int)diagnosis.verdict;
    diagnosis_free(&diagnosis);
    run_free(&run);
    return err;
}
