/* export_pprof.c - all stacks as a profile for pprof: gzip around profile.proto.
 *
 * Each frame is a location with one line. Its mapping is the module, or the language of an interpreter. The
 * labels "pid" and "program" distinguish processes.
 */
#include <string.h>
#include <zlib.h>

#include "base/intern.h"
#include "ledger/model.h"
#include "report/export/export.h"
#include "report/export/protobuf.h"

/* Field numbers of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT = 14,
    TYPE_NAME = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_TEXT = 2,
    LABEL_NUMBER = 3,
    MAPPING_ID = 1,
    MAPPING_FILE = 5,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILES = 8,
    MAPPING_HAS_LINES = 9,
    LOCATION_ID = 1,
    LOCATION_MAPPING = 2,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_NUMBER = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4
};

struct writer {
    struct text out;       /* the profile */
    struct intern strings; /* the number of a string is its index in the profile */
    struct intern mappings, functions, frames; /* the id in the profile is the number + 1 */
    struct text part, inner, key;              /* scratch: messages that are being built, and keys */
    bool failed;                               /* out of memory */
};

static uint64_t string(struct writer *w, const char *text)
{
    struct text *valid = &w->key;
    size_t number;

    /* protobuf requires UTF-8; text_safe makes it from any bytes. */
    valid->length = 0;
    text_safe(valid, text ? text : "", text ? strlen(text) : 0);
    number = intern_number(&w->strings, text_string(valid), valid->length);
    w->failed |= number == INTERN_NONE || valid->failed;
    return number;
}

/* ---- frames ---- */

static uint64_t mapping_of(struct writer *w, const struct place *place)
{
    const size_t before = w->mappings.count;
    const char *name = place->module ? place->module : language_name(place->language);
    const size_t number = intern_text(&w->mappings, name);

    w->failed |= number == INTERN_NONE;
    if (w->mappings.count > before) {
        protobuf_number(&w->inner, MAPPING_ID, number + 1);
        protobuf_number(&w->inner, MAPPING_FILE, string(w, name));
        protobuf_number(&w->inner, MAPPING_HAS_FUNCTIONS, 1);
        protobuf_number(&w->inner, MAPPING_HAS_FILES, 1);
        protobuf_number(&w->inner, MAPPING_HAS_LINES, 1);
        protobuf_message(&w->out, PROFILE_MAPPING, &w->inner);
    }
    return number + 1;
}

/* Code at the top level of a Python file is "<module>" in every file, and pprof does not show files. */
static bool is_module(const struct place *place)
{
    return place->file && place->function && strcmp(place->function, "<module>") == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static uint64_t function_of(struct writer *w, const struct place *place)
{
    const uint64_t own = string(w, place->function ? place->function : "?");
    const uint64_t name = is_module(place) ? string(w, base_name(place->file)) : own;
    const uint64_t file = string(w, place->file ? place->file : place->module);
    const uint64_t pair[2] = {name, file};
    const size_t before = w->functions.count;
    const size_t number = intern_number(&w->functions, (const char *)pair, sizeof(pair));

    w->failed |= number == INTERN_NONE;
    if (w->functions.count > before) {
        protobuf_number(&w->inner, FUNCTION_ID, number + 1);
        protobuf_number(&w->inner, FUNCTION_NAME, name);
        protobuf_number(&w->inner, FUNCTION_SYSTEM_NAME, own);
        protobuf_number(&w->inner, FUNCTION_FILE, file);
        protobuf_message(&w->out, PROFILE_FUNCTION, &w->inner);
    }
    return number + 1;
}

static uint64_t location_of(struct writer *w, const struct place *place)
{
    const uint64_t triple[3] = {function_of(w, place), mapping_of(w, place), place->line};
    const size_t before = w->frames.count;
    const size_t number = intern_number(&w->frames, (const char *)triple, sizeof(triple));
    struct text line = {0};

    w->failed |= number == INTERN_NONE;
    if (w->frames.count > before) {
        protobuf_number(&line, LINE_FUNCTION, triple[0]);
        protobuf_number(&line, LINE_NUMBER, place->line);
        protobuf_number(&w->inner, LOCATION_ID, number + 1);
        protobuf_number(&w->inner, LOCATION_MAPPING, triple[1]);
        protobuf_message(&w->inner, LOCATION_LINE, &line);
        protobuf_message(&w->out, PROFILE_LOCATION, &w->inner);
    }
    text_free(&line);
    return number + 1;
}

/* ---- samples ---- */

static void put_label(struct writer *w, const char *key, const char *text, uint64_t number)
{
    protobuf_number(&w->inner, LABEL_KEY, string(w, key));
    if (text)
        protobuf_number(&w->inner, LABEL_TEXT, string(w, text));
    protobuf_number(&w->inner, LABEL_NUMBER, number);
    protobuf_message(&w->part, SAMPLE_LABEL, &w->inner);
}

static void put_sample(struct writer *w, const struct profile_process *process,
                       const struct profile_sample *sample)
{
    static const struct place unknown = {.function = "(the stack was not recorded)"};
    struct text packed = {0};

    for (size_t i = 0; i < sample->place_count; i++)
        protobuf_varint(&packed, location_of(w, &sample->places[i]));
    if (sample->place_count == 0)
        protobuf_varint(&packed, location_of(w, &unknown));
    protobuf_message(&w->part, SAMPLE_LOCATION, &packed);
    for (size_t i = 0; i < PROFILE_VALUES; i++)
        protobuf_varint(&packed, sample->values[i]);
    protobuf_message(&w->part, SAMPLE_VALUE, &packed);
    put_label(w, "pid", NULL, process->report->pid);
    put_label(w, "program", process->report->program, 0);
    put_label(w, "memory", sample->map ? "mapping" : "heap", 0);
    protobuf_message(&w->out, PROFILE_SAMPLE, &w->part);
    text_free(&packed);
}

static void put_types(struct writer *w)
{
    for (unsigned i = 0; i < PROFILE_VALUES; i++) {
        protobuf_number(&w->inner, TYPE_NAME, string(w, profile_value_name(i)));
        protobuf_number(&w->inner, TYPE_UNIT, string(w, profile_value_unit(i)));
        protobuf_message(&w->out, PROFILE_SAMPLE_TYPE, &w->inner);
    }
    protobuf_number(&w->out, PROFILE_DEFAULT, string(w, profile_value_name(PROFILE_live_bytes)));
}

static void put_all(struct writer *w, const struct export *e)
{
    (void)string(w, ""); /* must be the first */
    put_types(w);
    for (size_t i = 0; i < e->profile->count; i++) {
        const struct profile_process *process = &e->profile->processes[i];

        if (i == 0)
            protobuf_number(&w->out, PROFILE_TIME, process->model->head.start_real);
        for (size_t k = 0; k < process->count; k++)
            put_sample(w, process, &process->samples[k]);
    }
    protobuf_number(&w->out, PROFILE_DURATION, (uint64_t)(e->diagnosis->seconds * 1e9));
    protobuf_number(&w->out, PROFILE_COMMENT, string(w, e->diagnosis->answer));
    for (size_t i = 0; i < w->strings.count; i++)
        protobuf_bytes(&w->out, PROFILE_STRING, w->strings.entries[i].bytes,
                       w->strings.entries[i].length);
}

/* ---- gzip ---- */

static int put_gzip(const struct text *text, FILE *out, struct why *why)
{
    enum { GZIP = 15 + 16 }; /* the largest window, with gzip's header */
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text->bytes};
    unsigned char buffer[16384];
    size_t left = text->length;
    int state = Z_OK;

    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return fail(why, ERR_NOMEM, "no memory to compress the profile");
    while (state == Z_OK) {
        if (stream.avail_in == 0) {
            stream.avail_in = (uInt)(left < 1u << 30 ? left : 1u << 30);
            left -= stream.avail_in;
        }
        stream.next_out = buffer;
        stream.avail_out = sizeof(buffer);
        state = deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
        (void)fwrite(buffer, 1, sizeof(buffer) - stream.avail_out, out);
    }
    (void)deflateEnd(&stream);
    return state == Z_STREAM_END ? 0 : fail(why, ERR_NOMEM, "the profile could not be compressed");
}

int export_pprof(const struct export *e, struct why *why)
{
    struct writer w = {0};
    int err;

    put_all(&w, e);
    w.failed |= w.out.failed || w.part.failed || w.inner.failed;
    err =
        w.failed ? fail(why, ERR_NOMEM, "no memory for the profile") : put_gzip(&w.out, e->out, why);
    intern_fini(&w.strings);
    intern_fini(&w.mappings);
    intern_fini(&w.functions);
    intern_fini(&w.frames);
    text_free(&w.out);
    text_free(&w.part);
    text_free(&w.inner);
    text_free(&w.key);
    return err;
}
