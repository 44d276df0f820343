/* export_metrics.c - the numbers of a run for Prometheus, as OpenMetrics text.
 *
 * All are gauges, so a parser of the older text format can read them, too.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "doctor/facts/ticks.h"
#include "doctor/say/words.h"
#include "report/export/export.h"

/* A label's value: valid UTF-8 with backslash, quote and line end escaped. */
static void put_label(FILE *out, const char *name, const char *value)
{
    struct text safe = {0};

    text_safe(&safe, value ? value : "", value ? strlen(value) : 0);
    (void)fprintf(out, "%s=\"", name);
    for (const char *at = text_string(&safe); *at; at++) {
        if (*at == '\\' || *at == '"')
            (void)fputc('\\', out);
        (void)fputc(*at, out);
    }
    (void)fputc('"', out);
    text_free(&safe);
}

static void put_head(FILE *out, const char *name, const char *unit, const char *says)
{
    (void)fprintf(out, "# TYPE tare_%s gauge\n", name);
    if (unit[0])
        (void)fprintf(out, "# UNIT tare_%s %s\n", name, unit);
    (void)fprintf(out, "# HELP tare_%s %s\n", name, says);
}

/* The labels that every sample of a process has; the caller closes the brace. */
static void begin(FILE *out, const char *name, const struct process_report *report)
{
    char pid[24];

    (void)snprintf(pid, sizeof(pid), "%u.%u", report->pid, report->generation);
    (void)fprintf(out, "tare_%s{", name);
    put_label(out, "process", pid);
    (void)fputc(',', out);
    put_label(out, "program", report->program);
}

static void end(FILE *out, double value)
{
    (void)fprintf(out, "} %.17g\n", isfinite(value) ? value : 0);
}

static void put_gauges(const struct diagnosis *d, FILE *out)
{
#define METRIC(name, unit, expression, says)                                                       \
    put_head(out, #name, unit, says);                                                              \
    for (size_t i = 0; i < d->process_count; i++) {                                                \
        const struct process_report *report = &d->processes[i];                                    \
                                                                                                   \
        begin(out, #name, report);                                                                 \
        end(out, (double)(expression));                                                            \
    }
#include "report/export/metrics.def"
#undef METRIC
}

static void put_verdicts(const struct diagnosis *d, FILE *out)
{
    put_head(out, "verdict", "", "1 for the verdict of the process; the label names it.");
    for (size_t i = 0; i < d->process_count; i++) {
        begin(out, "verdict", &d->processes[i]);
        (void)fputc(',', out);
        put_label(out, "verdict", kind_name(d->processes[i].verdict));
        end(out, 1);
    }
    put_head(out, "steps", "",
             "Ticks of the clock of the process; the label names it.");
    for (size_t i = 0; i < d->process_count; i++) {
        begin(out, "steps", &d->processes[i]);
        (void)fputc(',', out);
        put_label(out, "clock", clock_name_shown(d->processes[i].clock));
        end(out, (double)d->processes[i].clock_count);
    }
}

static void put_finding(FILE *out, const struct diagnosis *d, const struct process_report *report,
                        const struct finding *finding, const char *bound, double value)
{
    const struct place *where = words_where(finding);
    char id[16], number[16];

    (void)snprintf(id, sizeof(id), "%u", finding->id);
    (void)snprintf(number, sizeof(number), "%u", finding->number);
    begin(out, "growth_bytes", report);
    (void)fputc(',', out);
    put_label(out, "finding", id);
    (void)fputc(',', out);
    put_label(out, "number", number);
    (void)fputc(',', out);
    put_label(out, "kind", kind_name(finding->kind));
    (void)fputc(',', out);
    put_label(out, "where", where ? words_place(d->arena, where) : "");
    (void)fputc(',', out);
    put_label(out, "per", clock_rate_field(report->clock));
    (void)fputc(',', out);
    put_label(out, "bound", bound);
    end(out, value);
}

static void put_findings(const struct diagnosis *d, FILE *out)
{
    put_head(out, "growth_bytes", "bytes",
             "Growth of a finding per step or per second: estimate and interval.");
    for (size_t i = 0; i < d->process_count; i++)
        for (size_t k = 0; k < d->processes[i].finding_count; k++) {
            const struct finding *finding = &d->processes[i].findings[k];

            put_finding(out, d, &d->processes[i], finding, "estimate", finding->rate.estimate);
            put_finding(out, d, &d->processes[i], finding, "low", finding->rate.low);
            put_finding(out, d, &d->processes[i], finding, "high", finding->rate.high);
        }
}

int export_openmetrics(const struct export *e, struct why *why)
{
    (void)why;
    put_gauges(e->diagnosis, e->out);
    put_verdicts(e->diagnosis, e->out);
    put_findings(e->diagnosis, e->out);
    (void)fputs("# EOF\n", e->out);
    return 0;
}
