/* view.c - see view.h. */
#include "report/view.h"

#include <string.h>

#include "doctor/verbs/redact.h"
#include "ledger/model.h"
#include "report/forms.h"
#include "report/load.h"
#include "report/pack.h"
#include "report/view_parts.h"

#define DATA_MARK "@TARE_DATA@"
#define TEXT_MOST 2000 /* bytes of one text; longer names are cut */

static void put_values(struct json *json)
{
    json_list(json, "values");
#define VALUE(number, name, spelling, unit, says)                                                  \
    json_object(json, NULL);                                                                       \
    json_text(json, "name", #name);                                                                \
    json_text(json, "says", says);                                                                 \
    json_end(json, '}');
#include "doctor/verbs/profile_values.def"
#undef VALUE
    json_end(json, ']');
}

static void put_data(struct view *view, FILE *out)
{
    struct json json;

    json_init(&json, out);
    json.tight = true;
    json.longest = TEXT_MOST;
    view->json = &json;
    json_object(&json, NULL);
    json_truth(&json, "redacted", view->redact);
    report_json_put(&json, "report", view->diagnosis);
    put_values(&json);
    view_time(view);
    view_stacks(view);
    view_files(view);
    json_end(&json, '}');
    json_fini(&json);
}

static int put_page(struct view *view, FILE *out, struct why *why)
{
    const unsigned char *mark =
        memmem(view_template, view_template_size, DATA_MARK, strlen(DATA_MARK));
    const size_t before = mark ? (size_t)(mark - view_template) : 0;
    const size_t after = before + strlen(DATA_MARK);
    FILE *packed;

    if (!mark)
        return fail(why, ERR_ABSENT, "the page has no mark for its data");
    (void)fwrite(view_template, 1, before, out);
    packed = pack_open(out);
    if (!packed)
        return fail(why, ERR_NOMEM, "no memory to compress the page's data");
    put_data(view, packed);
    if (fclose(packed) != 0)
        return fail(why, ERR_IO, "the page could not be written");
    (void)fwrite(view_template + after, 1, view_template_size - after, out);
    return view->failed ? fail(why, ERR_NOMEM, "no memory for the page's data") : 0;
}

int view_write(const struct run *run, struct diagnosis *diagnosis,
               const struct report_options *options, FILE *out, struct why *why)
{
    struct profile profile = {0};
    struct view view = {
        .run = run, .diagnosis = diagnosis, .profile = &profile, .redact = options->redact};
    int err = profile_make(&profile, run, diagnosis, why);

    if (!err && options->redact)
        err = redact_profile(&profile, diagnosis->arena, why);
    if (!err && options->redact)
        err = redact_diagnosis(diagnosis, why);
    if (!err)
        err = put_page(&view, out, why);
    intern_fini(&view.strings);
    intern_fini(&view.frames);
    intern_fini(&view.files);
    intern_fini(&view.lines);
    return err;
}

int view_judged(const char *path, struct diagnosis *diagnosis, const struct report_options *options,
                FILE *out, struct why *why)
{
    struct run run = {0};
    int err;

    if (view_template_size == 0)
        return fail(why, ERR_ABSENT,
                    "this tare was built without the page; install npm (Debian: apt-get install "
                    "npm) and build it again with make");
    err = report_load_plain(&run, path, why);
    run.started_here = options->started_here;
    if (!err)
        err = view_write(&run, diagnosis, options, out, why);
    run_free(&run);
    return err ? err : diagnosis->status;
}

int view_path(const char *path, const struct report_options *options, FILE *out, struct why *why)
{
    struct diagnosis diagnosis = {0};
    int err = report_diagnose_as(&diagnosis, path, options, why);

    if (!err)
        err = view_judged(path, &diagnosis, options, out, why);
    diagnosis_free(&diagnosis);
    return err;
}
