/* json_finding.c - a finding as JSON, and the places in it. */
#include "doctor/held/owners.h"
#include "report/json/json_parts.h"

void json_place(struct json *json, const char *name, const struct place *place)
{
    json_object(json, name);
    json_text(json, "file", place->file);
    json_count_or_null(json, "line", place->line);
    json_text(json, "function", place->function);
    json_text(json, "module", place->module);
    json_text(json, "text", place->text);
    json_truth(json, "source_changed", place->changed);
    json_truth(json, "user", place->user);
    json_truth(json, "inlined", place->inlined);
    json_end(json, '}');
}

void json_places(struct json *json, const char *name, const struct place *places, size_t count)
{
    json_list(json, name);
    for (size_t i = 0; i < count; i++)
        json_place(json, NULL, &places[i]);
    json_end(json, ']');
}

void json_texts(struct json *json, const char *name, const char *const *texts, size_t count)
{
    json_list(json, name);
    for (size_t i = 0; i < count; i++)
        json_text(json, NULL, texts[i]);
    json_end(json, ']');
}

/* ---- findings ---- */

static void put_survival(struct json *json, const struct finding *finding)
{
    json_list(json, "survival");
    for (size_t i = 0; i < finding->survival_count; i++) {
        json_object(json, NULL);
        json_count(json, "first", finding->survival[i].first);
        json_count(json, "last", finding->survival[i].last);
        json_count(json, "born", finding->survival[i].born);
        json_count(json, "alive", finding->survival[i].alive);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_remedy(struct json *json, const struct remedy *remedy)
{
    json_object(json, "remedy");
    json_text(json, "text", remedy->text);
    json_text(json, "code", remedy->code);
    json_text(json, "setting", remedy->setting);
    json_text(json, "where", fix_where_name(remedy->span.where));
    json_text(json, "file", remedy->span.where ? remedy->file : NULL);
    json_count_or_null(json, "line", remedy->span.where ? remedy->span.first : 0);
    json_count_or_null(json, "last_line", remedy->span.where ? remedy->span.last : 0);
    json_end(json, '}');
}

static void put_step(struct json *json, const struct holder_step *step)
{
    json_object(json, NULL);
    json_text(json, "kind", owner_kind_name(step->kind));
    json_text(json, "name", step->name[0] ? step->name : NULL);
    json_text(json, "type", step->type[0] ? step->type : NULL);
    json_text(json, "file", step->file[0] ? step->file : NULL);
    json_count_or_null(json, "line", step->line);
    json_count(json, "number", step->number);
    json_count(json, "length", step->length);
    json_count(json, "bound", step->bound);
    json_count(json, "hits", step->hits);
    json_count(json, "misses", step->misses);
    json_end(json, '}');
}

static void put_holder(struct json *json, const struct finding *finding)
{
    json_list(json, "holder_path");
    for (size_t i = 0; i < finding->holder_count; i++)
        put_step(json, &finding->holder_path[i]);
    json_end(json, ']');
    if (finding->store) {
        json_object(json, "store");
        json_text(json, "operation", finding->store->operation);
        json_text(json, "container", finding->store->container);
        json_text(json, "stored", finding->store->stored);
        json_end(json, '}');
    } else {
        json_null(json, "store");
    }
}

void json_array(struct json *json, const struct array_facts *array)
{
    if (!array) {
        json_null(json, "array");
        return;
    }
    json_object(json, "array");
    json_text(json, "library", array->library);
    json_text(json, "dtype", array->dtype[0] ? array->dtype : NULL);
    json_text(json, "shape", array->shape);
    json_count(json, "elements", array->elements);
    json_count(json, "bytes", array->bytes);
    json_end(json, '}');
}

/* Every line that makes the memory; allocated_at has the whole stack of the largest. */
static void put_made(struct json *json, const struct finding *finding)
{
    double sum = 0;

    for (size_t i = 0; i < finding->made_count; i++)
        sum += finding->made_at[i].rate;
    json_list(json, "made_at");
    for (size_t i = 0; i < finding->made_count; i++) {
        const struct made_line *line = &finding->made_at[i];

        json_object(json, NULL);
        json_number(json, "bytes_per_step", line->rate);
        json_number(json, "share", sum > 0 ? line->rate / sum : 0);
        json_count(json, "live_bytes", line->live_bytes);
        json_count(json, "live_blocks", line->live_blocks);
        json_place(json, "place", line->places);
        json_end(json, '}');
    }
    json_end(json, ']');
}

/* Where its memory is. */
static void put_memory_of(struct json *json, const struct finding *finding)
{
    json_text(json, "memory", memory_name(finding->memory));
    if (finding->memory != MEMORY_DEVICE) {
        json_null(json, "device");
        json_null(json, "host_bytes_per_step");
        return;
    }
    json_count(json, "device", finding->device);
    json_number(json, "host_bytes_per_step", finding->host_rate.estimate);
}

/* What the line of the user called until memory was allocated: innermost first. */
static void put_native(struct json *json, const struct finding *finding)
{
    json_places(json, "library_frames", finding->library_at, finding->library_count);
    json_list(json, "native_frames");
    for (size_t i = 0; i < finding->native_count; i++) {
        const struct native_place *place = &finding->native[i];

        json_object(json, NULL);
        json_text(json, "module", place->module);
        json_count(json, "offset", place->offset);
        json_text(json, "symbol", place->function);
        json_truth(json, "near", place->beyond > 0);
        json_text(json, "file", place->file);
        json_count_or_null(json, "line", place->line);
        json_text(json, "package", place->package);
        json_text(json, "version", place->version);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_text(json, "made_in", finding->made_in);
    json_text(json, "lost_in", finding->library);
}

/* 0: not known. */
static void put_milliseconds(struct json *json, const char *name, uint64_t ns)
{
    if (ns)
        json_count(json, name, ns / 1000000);
    else
        json_null(json, name);
}

void json_finding(struct json *json, const struct finding *finding)
{
    json_object(json, NULL);
    json_count(json, "id", finding->id);
    json_count(json, "number", finding->number);
    json_text(json, "kind", kind_name(finding->kind));
    json_number(json, "confidence", finding->confidence);
    json_text(json, "summary", finding->summary);
    json_object(json, "bytes_per_step");
    json_number(json, "estimate", finding->rate.estimate);
    json_number(json, "low", finding->rate.low);
    json_number(json, "high", finding->rate.high);
    json_end(json, '}');
    put_memory_of(json, finding);
    json_places(json, "allocated_at", finding->allocated_at, finding->allocated_count);
    put_made(json, finding);
    put_native(json, finding);
    if (finding->stored_at)
        json_place(json, "stored_at", finding->stored_at);
    else
        json_null(json, "stored_at");
    json_text(json, "held_by", finding->held_by);
    json_text(json, "holder_unsearched", finding->unsearched);
    put_milliseconds(json, "holder_unsearched_pause_ms", finding->unsearched ? finding->unsearched_pause : 0);
    put_milliseconds(json, "holder_unsearched_limit_ms", finding->unsearched ? finding->unsearched_most : 0);
    put_holder(json, finding);
    json_array(json, finding->array);
    json_texts(json, "evidence", finding->evidence, finding->evidence_count);
    put_remedy(json, &finding->remedy);
    json_count(json, "live_bytes", finding->live_bytes);
    json_count(json, "live_blocks", finding->live_blocks);
    json_count(json, "since", finding->since);
    json_truth(json, "evicted_nothing", finding->evicted_nothing);
    json_truth(json, "endless", finding->endless);
    json_truth(json, "note", finding->note);
    json_text(json, "note_reason", demotion_name(finding->demoted));
    json_count(json, "more_steps", finding->more_steps);
    put_survival(json, finding);
    json_end(json, '}');
}
