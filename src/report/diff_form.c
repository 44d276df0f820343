/* diff_form.c - see diff_form.h. */
#include "report/diff_form.h"

#include "doctor/facts/ticks.h"
#include "doctor/verbs/compare.h"
#include "report/load.h"
#include "report/json/json_writer.h"
#include "report/page.h"

/* ---- text ---- */

static void put_side(struct page *page, const char *label, const struct compared_side *side)
{
    char peak[TEXT_SIZE_MAX], steps[TEXT_SIZE_MAX];

    page_print(page, label, "%s (%s; %s ticks of the clock \"%s\"; %s resident at most)",
               side->answer, kind_name(side->verdict), text_count(steps, side->steps),
               clock_name_shown(side->clock), text_size(peak, side->resident_peak));
}

static void put_text(const struct comparison *c, bool color, FILE *out)
{
    static const char *const labels[] = {
        [CHANGE_NEW] = "New",     [CHANGE_WORSE] = "Worse",   [CHANGE_UNPROVEN] = "Not known",
        [CHANGE_FIXED] = "Fixed", [CHANGE_BETTER] = "Better", [CHANGE_SAME] = "Same",
    };
    struct page page;

    page_init(&page, out, color);
    page_tone(&page,
              c->status == 1   ? TONE_BAD
              : c->status == 3 ? TONE_UNSURE
                               : TONE_GOOD,
              c->answer);
    (void)fputc('\n', out);
    for (size_t i = 0; i < c->count; i++)
        page_line(&page, labels[c->findings[i].change], c->findings[i].text);
    put_side(&page, "Before", &c->before);
    put_side(&page, "Now", &c->after);
}

/* ---- JSON ---- */

static void put_interval(struct json *json, const char *name, const struct interval *rate)
{
    json_object(json, name);
    json_number(json, "estimate", rate->estimate);
    json_number(json, "low", rate->low);
    json_number(json, "high", rate->high);
    json_end(json, '}');
}

static void put_json_side(struct json *json, const char *name, const struct compared_side *side)
{
    json_object(json, name);
    json_text(json, "verdict", kind_name(side->verdict));
    json_text(json, "answer", side->answer);
    json_text(json, "clock", clock_name(side->clock));
    json_count(json, "steps", side->steps);
    json_count(json, "resident_peak", side->resident_peak);
    put_interval(json, "bytes_per_step", &side->leak);
    json_end(json, '}');
}

static void put_json_finding(struct json *json, const char *name, const struct finding *finding)
{
    if (!finding) {
        json_null(json, name);
        return;
    }
    json_object(json, name);
    json_count(json, "id", finding->id);
    json_count(json, "number", finding->number);
    json_text(json, "kind", kind_name(finding->kind));
    put_interval(json, "bytes_per_step", &finding->rate);
    json_end(json, '}');
}

static void put_json(const struct comparison *c, FILE *out)
{
    struct json json;

    json_init(&json, out);
    json_object(&json, NULL);
    json_count(&json, "schema", 1);
    json_text(&json, "answer", c->answer);
    json_count(&json, "status", (uint64_t)c->status);
    put_json_side(&json, "before", &c->before);
    put_json_side(&json, "after", &c->after);
    json_list(&json, "findings");
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *one = &c->findings[i];

        json_object(&json, NULL);
        json_text(&json, "change", change_name(one->change));
        json_text(&json, "unit", one->unit);
        put_json_finding(&json, "before", one->before);
        put_json_finding(&json, "after", one->after);
        json_count_or_null(&json, "steps_needed", one->needed);
        json_text(&json, "text", one->text);
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_end(&json, '}');
    json_fini(&json);
}

int diff_paths(const char *before, const char *after, const struct report_options *options,
               FILE *out, struct why *why)
{
    struct diagnosis first = {0}, second = {0};
    struct comparison comparison = {0};
    int err = report_diagnose(&first, before, why);

    if (!err)
        err = report_diagnose(&second, after, why);
    if (!err)
        err = compare_runs(&comparison, &first, &second, why);
    if (!err && options->json)
        put_json(&comparison, out);
    else if (!err)
        put_text(&comparison, options->color, out);
    diagnosis_free(&first);
    diagnosis_free(&second);
    return err ? err : comparison.status;
}
