/* json.c - the diagnosis as JSON: everything it holds, under the names of docs/report.schema.json.
 */
#include "doctor/held/owners.h"
#include "doctor/measure/clock.h"
#include "doctor/verbs/tried.h"
#include "report/cost_forms.h"
#include "report/forms.h"
#include "report/json/json_parts.h"

#define SCHEMA 1 /* docs/report.schema.json; fields may be added under the same number */

/* ---- measurements ---- */

static void put_sites(struct json *json, const char *name, const struct site_summary *sites,
                      size_t count)
{
    json_list(json, name);
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_count(json, "live_bytes", sites[i].live_bytes);
        json_count(json, "live_blocks", sites[i].live_blocks);
        json_count(json, "born_bytes", sites[i].born_bytes);
        json_count(json, "peak_bytes", sites[i].peak_bytes);
        json_number(json, "growth_per_step", sites[i].growth);
        json_truth(json, "map", sites[i].map);
        json_places(json, "allocated_at", sites[i].places, sites[i].place_count);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_memory(struct json *json, const struct process_report *report)
{
    json_object(json, "memory");
    json_count(json, "resident_bytes", report->resident_bytes);
    json_count(json, "resident_peak", report->resident_peak);
    json_count(json, "live_bytes", report->live_bytes);
    json_count(json, "live_blocks", report->live_blocks);
    json_count(json, "mapped_bytes", report->mapped_bytes);
    json_count(json, "shared_bytes", report->shared_bytes);
    json_count(json, "inherited_bytes", report->inherited_bytes);
    json_count(json, "allocated_bytes", report->allocated_bytes);
    json_count(json, "allocated_blocks", report->allocated_blocks);
    json_count(json, "threads", report->threads);
    json_end(json, '}');
}

static void put_account(struct json *json, const struct process_report *report)
{
    json_object(json, "account");
    json_count(json, "resident", report->resident_bytes);
    json_list(json, "lines");
    for (size_t i = 0; i < report->account_count; i++) {
        json_object(json, NULL);
        json_text(json, "name", report->account[i].name);
        json_count(json, "bytes", report->account[i].bytes);
        json_text(json, "source", report->account[i].source);
        json_end(json, '}');
    }
    json_end(json, ']');
    if (report->account_count > 0)
        json_whole(json, "remainder", report->account_remainder);
    else
        json_null(json, "remainder");
    json_end(json, '}');
}

static void put_roles(struct json *json, const struct device_summary *device)
{
    json_object(json, "roles");
    json_count(json, "parameters", device->roles[PARAMETERS_ROLE]);
    json_count(json, "gradients", device->roles[GRADIENTS_ROLE]);
    json_count(json, "optimizer", device->roles[OPTIMIZER_ROLE]);
    json_end(json, '}');
}

/* The latest request that the device refused. */
static void put_refused(struct json *json, const struct device_summary *device)
{
    if (device->failed_bytes == 0) {
        json_null(json, "refused");
        return;
    }
    json_object(json, "refused");
    json_count(json, "bytes", device->failed_bytes);
    json_count(json, "used", device->failed_used);
    json_count(json, "taken", device->failed_taken);
    json_count(json, "free", device->failed_free);
    json_end(json, '}');
}

static void put_devices(struct json *json, const struct process_report *report)
{
    json_list(json, "devices");
    for (size_t i = 0; i < report->device_count; i++) {
        const struct device_summary *device = &report->devices[i];

        json_object(json, NULL);
        json_count(json, "index", device->index);
        json_text(json, "name", device->name);
        json_truth(json, "seen", device->seen);
        json_count(json, "memory", device->memory);
        json_count(json, "used", device->used);
        json_count(json, "taken", device->taken);
        json_count(json, "most", device->most);
        json_count(json, "blocks", device->blocks);
        json_count(json, "pool", device->pool);
        json_count(json, "pool_used", device->pool_used);
        json_count(json, "returnable", device->returnable);
        json_count(json, "pinned", device->pinned);
        if (device->pinned_by)
            json_place(json, "pinned_by", device->pinned_by);
        else
            json_null(json, "pinned_by");
        put_roles(json, device);
        put_refused(json, device);
        put_sites(json, "live_sites", device->sites, device->site_count);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_part(struct json *json, const struct peak_part *part)
{
    json_object(json, NULL);
    json_count(json, "bytes", part->bytes);
    json_count(json, "blocks", part->blocks);
    json_count(json, "kept", part->kept);
    json_truth(json, "before_steps", part->before_steps);
    json_truth(json, "outlives", part->outlives);
    json_text(json, "variable", part->variable);
    json_text(json, "held_by", part->held_by);
    json_array(json, part->array);
    json_places(json, "allocated_at", part->places, part->place_count);
    json_end(json, '}');
}

static void put_peak_finding(struct json *json, const struct peak_finding *finding)
{
    json_object(json, NULL);
    json_text(json, "kind", peak_kind_name(finding->kind));
    json_text(json, "summary", finding->summary);
    json_count(json, "bytes", finding->bytes);
    json_list(json, "parts");
    for (size_t i = 0; i < finding->part_count; i++)
        put_part(json, &finding->parts[i]);
    json_end(json, ']');
    json_list(json, "savings");
    for (size_t i = 0; i < finding->saving_count; i++) {
        json_object(json, NULL);
        json_text(json, "text", finding->savings[i].text);
        json_text(json, "code", finding->savings[i].code);
        json_count(json, "bytes", finding->savings[i].bytes);
        json_count(json, "remains", finding->savings[i].remains);
        json_truth(json, "lowers_peak", finding->savings[i].lowers_peak);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_end(json, '}');
}

static void put_peak(struct json *json, const struct process_report *report)
{
    json_object(json, "peak");
    json_count(json, "bytes", report->peak_bytes);
    json_count(json, "step", report->peak_step);
    put_sites(json, "sites", report->peak_sites, report->peak_site_count);
    json_list(json, "findings");
    for (size_t i = 0; i < report->peak_finding_count; i++)
        put_peak_finding(json, &report->peak_findings[i]);
    json_end(json, ']');
    json_end(json, '}');
}

static void put_forecast(struct json *json, const struct forecast *forecast)
{
    if (!forecast->known) {
        json_null(json, "forecast");
        return;
    }
    json_object(json, "forecast");
    json_text(json, "limit", forecast->limit);
    json_count(json, "limit_bytes", forecast->limit_bytes);
    json_count(json, "headroom", forecast->headroom);
    json_number(json, "steps_low", forecast->steps_low);
    json_number(json, "steps_high", forecast->steps_high);
    json_number(json, "seconds_low", forecast->seconds_low);
    json_number(json, "seconds_high", forecast->seconds_high);
    json_end(json, '}');
}

static void put_measured(struct json *json, const struct process_report *report)
{
    json_object(json, "measured");
    json_text(json, "allocator", report->allocator);
    json_count(json, "sampling_rate", report->rate);
    json_count(json, "samples", report->samples);
    json_count(json, "intervals", report->steps);
    json_number(json, "pause_seconds", report->pause_seconds);
    json_end(json, '}');
    json_list(json, "lost");
    for (size_t i = 0; i < report->loss_count; i++) {
        json_object(json, NULL);
        json_text(json, "what", report->losses[i].what);
        json_count(json, "count", report->losses[i].count);
        json_end(json, '}');
    }
    json_end(json, ']');
}

/* ---- processes ---- */

static void put_identity(struct json *json, const struct process_report *report)
{
    json_count(json, "pid", report->pid);
    json_count(json, "parent_pid", report->parent_pid);
    json_count(json, "generation", report->generation);
    json_text(json, "program", report->program);
    json_text(json, "command", report->command);
    json_text(json, "ended", report->ended);
    json_number(json, "seconds", report->seconds);
    json_text(json, "verdict", kind_name(report->verdict));
    json_number(json, "confidence", report->confidence);
    json_truth(json, "early", report->early);
    json_truth(json, "speaks", report->speaks);
    json_truth(json, "passed_over", report->passed_over);
    json_truth(json, "launcher", report->launcher);
    json_text(json, "answer", report->answer);
    json_object(json, "steps");
    json_text(json, "clock", clock_name(report->clock));
    json_count(json, "count", report->clock_count);
    json_text(json, "reason", report->clock_reason);
    json_text(json, "tick", clock_tick_name(report->clock));
    json_text(json, "ticks", clock_ticks_name(report->clock, 2));
    json_truth(json, "exact", clock_is_exact(report->clock));
    json_end(json, '}');
}

static void put_phases(struct json *json, const struct process_report *report)
{
    json_list(json, "phases");
    for (size_t i = 0; i < report->phase_count; i++) {
        const struct phase_summary *phase = &report->phases[i];

        json_object(json, NULL);
        json_text(json, "kind", phase_kind_name(phase->kind));
        if (phase->place) {
            json_text(json, "file", phase->place->file);
            json_count(json, "line", phase->place->line);
            json_text(json, "function", phase->place->function);
        }
        json_count(json, "turns", phase->turns);
        json_count(json, "times", phase->times);
        json_number(json, "seconds", phase->seconds);
        json_number(json, "kept", (double)phase->kept);
        json_truth(json, "over", phase->over);
        json_truth(json, "judged", phase->judged);
        json_end(json, '}');
    }
    json_end(json, ']');
}

/* Only where models are the clock. */
static void put_keepings(struct json *json, const struct process_report *report)
{
    if (report->keeping_count == 0)
        return;
    json_list(json, "per_model");
    for (size_t i = 0; i < report->keeping_count; i++) {
        const struct keeping *line = &report->keepings[i];

        json_object(json, NULL);
        json_text(json, "keeper", line->name);
        json_text(json, "what", line->what);
        json_number(json, "bytes", line->bytes);
        json_truth(json, "unbounded", line->unbounded);
        json_text(json, "returned_by", line->returned);
        json_text(json, "held_by", line->held_by);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_process(struct json *json, const struct process_report *report)
{
    json_object(json, NULL);
    put_identity(json, report);
    put_memory(json, report);
    put_account(json, report);
    put_devices(json, report);
    put_phases(json, report);
    put_keepings(json, report);
    put_peak(json, report);
    put_forecast(json, &report->forecast);
    json_list(json, "findings");
    for (size_t i = 0; i < report->finding_count; i++)
        json_finding(json, &report->findings[i]);
    json_end(json, ']');
    json_object(json, "sites");
    put_sites(json, "live", report->live_sites, report->live_site_count);
    put_sites(json, "growing", report->growing_sites, report->growing_site_count);
    json_end(json, '}');
    json_texts(json, "notes", report->notes, report->note_count);
    put_measured(json, report);
    cost_json(json, report->cost);
    json_end(json, '}');
}

/* ---- a remedy that was tried ---- */

static void put_side(struct json *json, const char *name, const struct tried_side *side)
{
    json_object(json, name);
    json_text(json, "verdict", kind_name(side->verdict));
    json_text(json, "clock", clock_name(side->clock));
    json_count(json, "steps", side->steps);
    json_number(json, "bytes_per_step", side->rate);
    json_count(json, "resident_bytes", side->resident_bytes);
    json_count(json, "resident_peak", side->resident_peak);
    json_end(json, '}');
}

static void put_tried(struct json *json, const struct tried *tried)
{
    if (!tried) {
        json_null(json, "tried");
        return;
    }
    json_object(json, "tried");
    json_text(json, "remedy", tried->remedy);
    json_text(json, "says", tried->says);
    put_side(json, "before", &tried->before);
    put_side(json, "after", &tried->after);
    json_list(json, "findings");
    for (size_t i = 0; i < tried->finding_count; i++) {
        json_object(json, NULL);
        json_count(json, "id", tried->findings[i].id);
        json_text(json, "kind", kind_name(tried->findings[i].kind));
        json_truth(json, "gone", tried->findings[i].gone);
        json_number(json, "before", tried->findings[i].before);
        json_number(json, "after", tried->findings[i].after);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_text(json, "conclusion", tried_name(tried->conclusion));
    json_text(json, "sentence", tried->sentence);
    json_text(json, "returned", tried->returned);
    json_end(json, '}');
}

void report_json_put(struct json *json, const char *name, const struct diagnosis *d)
{
    json_object(json, name);
    json_count(json, "schema", SCHEMA);
    json_text(json, "tare", TARE_VERSION);
    json_text(json, "verdict", kind_name(d->verdict));
    json_number(json, "confidence", d->confidence);
    json_text(json, "answer", d->answer);
    json_number(json, "seconds", d->seconds);
    json_list(json, "processes");
    for (size_t i = 0; i < d->process_count; i++)
        put_process(json, &d->processes[i]);
    json_end(json, ']');
    json_texts(json, "notes", d->notes, d->note_count);
    if (d->folded.processes > 0) {
        json_object(json, "folded");
        json_count(json, "processes", d->folded.processes);
        json_count(json, "steps", d->folded.steps);
        json_count(json, "peak_bytes", d->folded.peak_bytes);
        json_end(json, '}');
    }
    cost_json_run(json, d);
    put_tried(json, d->tried);
    json_end(json, '}');
}

void report_json(const struct diagnosis *d, FILE *out)
{
    struct json json;

    json_init(&json, out);
    report_json_put(&json, NULL, d);
    json_fini(&json);
}
