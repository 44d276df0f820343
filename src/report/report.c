/* report.c - see report.h. */
#include "report/report.h"

#include "doctor/verbs/redact.h"
#include "report/forms.h"
#include "report/load.h"

int report_write(struct diagnosis *diagnosis, const struct report_options *options, FILE *out,
                 struct why *why)
{
    const int err = options->redact ? redact_diagnosis(diagnosis, why) : 0;

    if (err)
        return err;
    if (options->json)
        report_json(diagnosis, out);
    else
        report_text(diagnosis, options, out);
    return diagnosis->status;
}

int report_path(const char *path, const struct report_options *options, FILE *out, struct why *why)
{
    struct diagnosis diagnosis = {0};
    int err = report_diagnose_as(&diagnosis, path, options, why);

    if (!err)
        err = report_write(&diagnosis, options, out, why);
    diagnosis_free(&diagnosis);
    return err;
}
