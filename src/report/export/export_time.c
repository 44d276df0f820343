/* export_time.c - memory over time: CSV, and counters for Perfetto or chrome://tracing. */
#include <inttypes.h>
#include <string.h>

#include "ledger/model.h"
#include "report/export/export.h"
#include "report/json/json_writer.h"

/* ---- CSV ---- */

int export_csv(const struct export *e, struct why *why)
{
    (void)why;
    (void)fputs("pid,generation,seconds,interval", e->out);
#define CLOCK(number, name, ...) (void)fputs("," #name, e->out);
#include "ledger/clocks.def"
#undef CLOCK
    (void)fputs(
        ",live_bytes,live_min,live_max,live_blocks,allocated_bytes,allocated_blocks,mapped_bytes,"
        "shared_bytes,resident_bytes,threads\n",
        e->out);
    for (size_t i = 0; i < e->run->process_count; i++) {
        const struct model *model = e->run->processes[i];

        for (size_t k = 0; k < model->step_count; k++) {
            const struct step_record *step = &model->steps[k];
            const uint64_t start = model->head.start_mono;

            (void)fprintf(e->out, "%u,%u,%.6f,%" PRIu64, model->head.pid, model->head.generation,
                          step->time > start ? (double)(step->time - start) / 1e9 : 0, step->last);
#define CLOCK(number, name, ...) (void)fprintf(e->out, ",%" PRIu64, step->clock[number]);
#include "ledger/clocks.def"
#undef CLOCK
            (void)fprintf(e->out,
                          ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                          ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u\n",
                          step->live_bytes, step->live_min, step->live_max, step->live_blocks,
                          step->allocated_bytes, step->allocated_blocks, step->mapped_bytes,
                          step->shared_bytes, step->resident, step->threads);
        }
    }
    return 0;
}

/* ---- trace events ---- */

static uint64_t first_time(const struct run *run)
{
    uint64_t first = run->own ? run->own->head.start_mono : UINT64_MAX;

    for (size_t i = 0; i < run->process_count; i++)
        if (run->processes[i]->head.start_mono < first)
            first = run->processes[i]->head.start_mono;
    return first;
}

/* Opens an event; the caller adds its arguments and closes two braces. */
static void begin(struct json *json, const char *phase, const char *name, uint32_t pid,
                  double micros)
{
    json_object(json, NULL);
    json_text(json, "ph", phase);
    json_text(json, "name", name);
    json_text(json, "cat", "memory");
    json_count(json, "pid", pid);
    json_count(json, "tid", 0);
    json_number(json, "ts", micros);
    if (phase[0] == 'i')
        json_text(json, "s", "p");
    json_object(json, "args");
}

static void end(struct json *json)
{
    json_end(json, '}');
    json_end(json, '}');
}

static double micros(uint64_t time, uint64_t first)
{
    return time > first ? (double)((time - first) / 1000) : 0;
}

static void put_counter(struct json *json, const struct model *model, const char *name, double when,
                        uint64_t value)
{
    begin(json, "C", name, model->head.pid, when);
    json_count(json, "bytes", value);
    end(json);
}

static void put_steps(struct json *json, const struct model *model, uint64_t first)
{
    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];
        const double when = micros(step->time, first);

        put_counter(json, model, "live heap", when, step->live_bytes);
        if (step->resident > 0)
            put_counter(json, model, "resident", when, step->resident);
        if (step->mapped_bytes > 0)
            put_counter(json, model, "mapped", when, step->mapped_bytes);
        if (step->shared_bytes > 0)
            put_counter(json, model, "shared", when, step->shared_bytes);
    }
}

static void put_interventions(struct json *json, const struct model *model, uint64_t first)
{
    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *record = &model->interventions[i];
        const char *name = record->kind == INTERVENTION_TRIM      ? "trim"
                           : record->kind == INTERVENTION_COLLECT ? "collect"
                           : record->kind == INTERVENTION_SYNC    ? "sync"
                           : record->kind == INTERVENTION_WORKER  ? "worker ends"
                           : record->kind == INTERVENTION_COLLECTOR_OFF ? "collector is off"
                           : record->kind == INTERVENTION_COLLECTOR_ON  ? "collector is on"
                                                                  : "intervention";

        begin(json, "i", name, model->head.pid, micros(record->time, first));
        json_count(json, "live_before", record->live_before);
        json_count(json, "live_after", record->live_after);
        if (record->kind < INTERVENTION_WORKER) { /* the doctor requested it */
            json_count(json, "resident_before", record->resident_before);
            json_count(json, "resident_after", record->resident_after);
        }
        end(json);
    }
}

/* The name from the report, which may be redacted. */
static const char *program_of(const struct export *e, const struct model *model)
{
    for (size_t i = 0; i < e->diagnosis->process_count; i++) {
        const struct process_report *report = &e->diagnosis->processes[i];

        if (report->pid == model->head.pid && report->generation == model->head.generation)
            return report->program;
    }
    return "";
}

int export_trace(const struct export *e, struct why *why)
{
    const uint64_t first = first_time(e->run);
    struct json json;

    (void)why;
    json_init(&json, e->out);
    json_object(&json, NULL);
    json_text(&json, "displayTimeUnit", "ms");
    json_list(&json, "traceEvents");
    for (size_t i = 0; i < e->run->process_count; i++) {
        const struct model *model = e->run->processes[i];

        begin(&json, "M", "process_name", model->head.pid, 0);
        json_text(&json, "name", program_of(e, model));
        end(&json);
        put_steps(&json, model, first);
        put_interventions(&json, model, first);
    }
    json_end(&json, ']');
    json_object(&json, "otherData");
    json_text(&json, "tare", TARE_VERSION);
    json_text(&json, "answer", e->diagnosis->answer);
    json_end(&json, '}');
    json_end(&json, '}');
    json_fini(&json);
    return 0;
}
