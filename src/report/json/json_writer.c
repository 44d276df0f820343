/* json_writer.c - see json_writer.h. Write errors stay in the stream, for its owner to find. */
#include "report/json/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_init(struct json *json, FILE *out)
{
    *json = (struct json){.out = out, .first = true};
}

void json_fini(struct json *json)
{
    (void)fputc('\n', json->out);
    text_free(&json->buffer);
}

/* The length to which a text is cut, between two characters. */
static size_t cut(const char *text, size_t length, size_t longest)
{
    size_t end = longest > 0 && length > longest ? longest : length;

    while (end < length && end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    return end;
}

/* Without memory for a string, the document stays valid and says so. */
static void put_text(struct json *json, const char *text)
{
    const size_t length = strlen(text);
    const size_t kept = cut(text, length, json->longest);

    json->buffer.length = 0;
    json->buffer.failed = false;
    text_json(&json->buffer, text, kept);
    if (kept < length && !json->buffer.failed) {
        json->buffer.length--; /* the closing quote */
        text_put(&json->buffer, "…\"");
    }
    (void)fputs(json->buffer.failed ? "\"(no memory)\"" : text_string(&json->buffer), json->out);
}

static void begin(struct json *json, const char *name)
{
    if (!json->first)
        (void)fputc(',', json->out);
    if (json->depth > 0 && !json->tight)
        (void)fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
    json->first = false;
    if (name) {
        put_text(json, name);
        (void)fputs(json->tight ? ":" : ": ", json->out);
    }
}

static void open_bracket(struct json *json, const char *name, char bracket)
{
    begin(json, name);
    (void)fputc(bracket, json->out);
    json->depth++;
    json->first = true;
}

void json_object(struct json *json, const char *name)
{
    open_bracket(json, name, '{');
}

void json_list(struct json *json, const char *name)
{
    open_bracket(json, name, '[');
}

void json_end(struct json *json, char bracket)
{
    json->depth--;
    if (!json->first && !json->tight)
        (void)fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
    json->first = false;
    (void)fputc(bracket, json->out);
}

void json_text(struct json *json, const char *name, const char *text)
{
    if (!text) {
        json_null(json, name);
        return;
    }
    begin(json, name);
    put_text(json, text);
}

void json_count(struct json *json, const char *name, uint64_t count)
{
    begin(json, name);
    (void)fprintf(json->out, "%" PRIu64, count);
}

void json_count_or_null(struct json *json, const char *name, uint64_t count)
{
    if (count > 0)
        json_count(json, name, count);
    else
        json_null(json, name);
}

void json_whole(struct json *json, const char *name, int64_t number)
{
    begin(json, name);
    (void)fprintf(json->out, "%" PRId64, number);
}

void json_number(struct json *json, const char *name, double number)
{
    if (!isfinite(number)) {
        json_null(json, name);
        return;
    }
    begin(json, name);
    (void)fprintf(json->out, "%.10g", number);
}

void json_truth(struct json *json, const char *name, bool truth)
{
    begin(json, name);
    (void)fputs(truth ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *name)
{
    begin(json, name);
    (void)fputs("null", json->out);
}
