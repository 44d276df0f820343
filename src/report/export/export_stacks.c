/* export_stacks.c - all stacks for flame graphs: speedscope's JSON, and collapsed lines. */
#include <inttypes.h>
#include <string.h>

#include "base/intern.h"
#include "base/text.h"
#include "report/export/export.h"
#include "report/json/json_writer.h"

static const struct place unknown = {.function = "(the stack was not recorded)"};

static const char *program_name(const struct profile_process *process)
{
    const char *program = process->report->program ? process->report->program : "";
    const char *slash = strrchr(program, '/');

    return slash ? slash + 1 : program;
}

/* ---- speedscope ---- */

/* Frames are numbered by function, file and line. */
struct frames {
    struct intern keys;
    struct text key;
    bool failed;
};

static size_t frame_number(struct frames *frames, const struct place *place)
{
    size_t number;

    frames->key.length = 0;
    text_print(&frames->key, "%s%c%s%c%u", place->function ? place->function : "?", 1,
               place->file ? place->file : "", 1, place->line);
    number = intern_number(&frames->keys, text_string(&frames->key), frames->key.length);
    frames->failed |= frames->key.failed || number == INTERN_NONE;
    return number;
}

static void put_frame(struct json *json, struct frames *frames, const struct place *place)
{
    const size_t before = frames->keys.count;

    (void)frame_number(frames, place);
    if (frames->keys.count == before)
        return;
    json_object(json, NULL);
    json_text(json, "name", place->function ? place->function : "?");
    if (place->file)
        json_text(json, "file", place->file);
    if (place->file && place->line > 0)
        json_count(json, "line", place->line);
    json_end(json, '}');
}

static void put_frames(struct json *json, struct frames *frames, const struct profile *profile)
{
    json_object(json, "shared");
    json_list(json, "frames");
    put_frame(json, frames, &unknown);
    for (size_t i = 0; i < profile->count; i++)
        for (size_t k = 0; k < profile->processes[i].count; k++)
            for (size_t n = 0; n < profile->processes[i].samples[k].place_count; n++)
                put_frame(json, frames, &profile->processes[i].samples[k].places[n]);
    json_end(json, ']');
    json_end(json, '}');
}

static void put_stack(struct json *json, struct frames *frames, const struct profile_sample *sample)
{
    json_list(json, NULL);
    for (size_t i = sample->place_count; i-- > 0;) /* outermost first */
        json_count(json, NULL, frame_number(frames, &sample->places[i]));
    if (sample->place_count == 0)
        json_count(json, NULL, frame_number(frames, &unknown));
    json_end(json, ']');
}

static void put_profile(struct json *json, struct frames *frames,
                        const struct profile_process *process, enum profile_value value)
{
    uint64_t sum = 0;
    char name[256];

    (void)snprintf(name, sizeof(name), "%s %s (process %u)", profile_value_name(value),
                   program_name(process), process->report->pid);
    for (size_t i = 0; i < process->count; i++)
        sum += process->samples[i].values[value];
    json_object(json, NULL);
    json_text(json, "type", "sampled");
    json_text(json, "name", name);
    json_text(json, "unit", value == PROFILE_live_blocks ? "none" : "bytes");
    json_count(json, "startValue", 0);
    json_count(json, "endValue", sum);
    json_list(json, "samples");
    for (size_t i = 0; i < process->count; i++)
        if (process->samples[i].values[value] > 0)
            put_stack(json, frames, &process->samples[i]);
    json_end(json, ']');
    json_list(json, "weights");
    for (size_t i = 0; i < process->count; i++)
        if (process->samples[i].values[value] > 0)
            json_count(json, NULL, process->samples[i].values[value]);
    json_end(json, ']');
    json_end(json, '}');
}

/* What is seen first: what grows in the process that leaks, else what is alive in the one that speaks. */
static uint64_t first_shown(const struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++)
        if (profile->processes[i].report->speaks)
            return i * PROFILE_VALUES + (kind_status(profile->processes[i].report->verdict) == 1
                                             ? PROFILE_growth_bytes
                                             : PROFILE_live_bytes);
    return PROFILE_live_bytes;
}

int export_speedscope(const struct export *e, struct why *why)
{
    struct frames frames = {0};
    struct json json;

    json_init(&json, e->out);
    json_object(&json, NULL);
    json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&json, "exporter", "tare@" TARE_VERSION);
    json_text(&json, "name", e->diagnosis->answer);
    json_count(&json, "activeProfileIndex", first_shown(e->profile));
    put_frames(&json, &frames, e->profile);
    json_list(&json, "profiles");
    for (size_t i = 0; i < e->profile->count; i++)
        for (unsigned value = 0; value < PROFILE_VALUES; value++)
            put_profile(&json, &frames, &e->profile->processes[i], value);
    json_end(&json, ']');
    json_end(&json, '}');
    json_fini(&json);
    intern_fini(&frames.keys);
    text_free(&frames.key);
    return frames.failed ? fail(why, ERR_NOMEM, "no memory for the frames") : 0;
}

/* ---- collapsed ---- */

/* A semicolon separates frames, so names must not have one. */
static void put_name(struct text *line, const char *name)
{
    const size_t from = line->length;

    text_safe(line, name, strlen(name));
    for (size_t i = from; i < line->length; i++)
        if (line->bytes[i] == ';')
            line->bytes[i] = ':';
}

static void put_collapsed(struct text *line, const struct profile_process *process,
                          const struct profile_sample *sample)
{
    line->length = 0;
    put_name(line, program_name(process));
    if (sample->place_count == 0) {
        text_put(line, ";");
        put_name(line, unknown.function);
    }
    for (size_t i = sample->place_count; i-- > 0;) {
        const struct place *place = &sample->places[i];
        const char *slash = place->file ? strrchr(place->file, '/') : NULL;

        text_put(line, ";");
        put_name(line, place->function ? place->function : "?");
        if (!place->file)
            continue;
        text_put(line, " (");
        put_name(line, slash ? slash + 1 : place->file);
        text_print(line, ":%u)", place->line);
    }
}

int export_collapsed(const struct export *e, struct why *why)
{
    struct text line = {0};
    bool failed = false;

    for (size_t i = 0; i < e->profile->count; i++)
        for (size_t k = 0; k < e->profile->processes[i].count; k++) {
            const struct profile_sample *sample = &e->profile->processes[i].samples[k];

            if (sample->values[e->value] == 0)
                continue;
            put_collapsed(&line, &e->profile->processes[i], sample);
            failed |= line.failed;
            (void)fprintf(e->out, "%s %" PRIu64 "\n", text_string(&line), sample->values[e->value]);
        }
    text_free(&line);
    return failed ? fail(why, ERR_NOMEM, "no memory for a line") : 0;
}
