/* export_sarif.c - findings for code scanning: SARIF 2.1.0.
 *
 * The place of a result is its store line, or, if that is not known, the line that allocates. Paths below the
 * working directory are relative, as code scanning requires.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "doctor/say/words.h"
#include "report/export/export.h"
#include "report/json/json_writer.h"

#define SCHEMA_ADDRESS "https://json.schemastore.org/sarif-2.1.0.json"

struct sarif {
    struct json json;
    char home[1024]; /* the working directory with a slash */
    struct text uri, message;
};

static const struct {
    enum kind kind;
    const char *name, *says;
} rules[] = {
#define KIND(severity, name, spelling, status, says) {KIND_##name, spelling, says},
#include "doctor/facts/kinds.def"
#undef KIND
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

static const char *level_of(enum kind kind)
{
    return kind_status(kind) == 1 ? "error" : "note";
}

static void put_message(struct json *json, const char *name, const char *text)
{
    json_object(json, name);
    json_text(json, "text", text);
    json_end(json, '}');
}

/* ---- places ---- */

static void make_uri(struct sarif *s, const char *path, bool absolute)
{
    s->uri.length = 0;
    text_put(&s->uri, absolute ? "file://" : "");
    for (; *path; path++) {
        const unsigned char letter = (unsigned char)*path;

        if (isalnum(letter) || strchr("-._~/", letter))
            text_add(&s->uri, path, 1);
        else
            text_print(&s->uri, "%%%02X", letter);
    }
}

static void put_physical(struct sarif *s, const struct place *place)
{
    const size_t home = strlen(s->home);
    const bool below = home > 0 && strncmp(place->file, s->home, home) == 0;
    const bool absolute = !below && place->file[0] == '/';

    make_uri(s, below ? place->file + home : place->file, absolute);
    json_object(&s->json, "physicalLocation");
    json_object(&s->json, "artifactLocation");
    json_text(&s->json, "uri", text_string(&s->uri));
    if (!absolute)
        json_text(&s->json, "uriBaseId", "SRCROOT");
    json_end(&s->json, '}');
    if (place->line > 0) {
        json_object(&s->json, "region");
        json_count(&s->json, "startLine", place->line);
        if (place->text)
            put_message(&s->json, "snippet", place->text);
        json_end(&s->json, '}');
    }
    json_end(&s->json, '}');
}

static void put_location(struct sarif *s, const char *name, const struct place *place,
                         const char *message)
{
    json_object(&s->json, name);
    if (place->file)
        put_physical(s, place);
    if (place->function) {
        json_list(&s->json, "logicalLocations");
        json_object(&s->json, NULL);
        json_text(&s->json, "name", place->function);
        json_text(&s->json, "kind", "function");
        json_end(&s->json, '}');
        json_end(&s->json, ']');
    }
    if (message)
        put_message(&s->json, "message", message);
    json_end(&s->json, '}');
}

/* ---- results ---- */

static void make_message(struct sarif *s, const struct finding *finding)
{
    s->message.length = 0;
    text_put(&s->message, finding->summary ? finding->summary : kind_name(finding->kind));
    for (size_t i = 0; i < finding->evidence_count; i++)
        text_print(&s->message, " %s", finding->evidence[i]);
    if (finding->held_by)
        text_print(&s->message, " Held by %s.", finding->held_by);
    if (finding->remedy.text)
        text_put(&s->message, " ");
    words_fix(&s->message, &finding->remedy);
    if (finding->remedy.code)
        text_print(&s->message, "%s\n%s\n", finding->remedy.span.where ? "" : " Code:", finding->remedy.code);
    if (finding->remedy.setting)
        text_print(&s->message, " Setting: %s", finding->remedy.setting);
}

/* Kind, function and file of the place: it stays the same when lines move. */
static void put_fingerprint(struct sarif *s, const struct finding *finding)
{
    const struct place *where = words_where(finding);
    struct text key = {0};
    char hash[24];

    text_print(&key, "%s|%s|%s", kind_name(finding->kind),
               where && where->function ? where->function : "",
               where && where->file ? where->file : "");
    (void)snprintf(hash, sizeof(hash), "%016" PRIx64, intern_hash(text_string(&key), key.length));
    text_free(&key);
    json_object(&s->json, "partialFingerprints");
    json_text(&s->json, "tare/v1", hash);
    json_end(&s->json, '}');
}

static void put_stack(struct sarif *s, const struct finding *finding)
{
    if (finding->allocated_count == 0)
        return;
    json_list(&s->json, "stacks");
    json_object(&s->json, NULL);
    put_message(&s->json, "message", "allocated at");
    json_list(&s->json, "frames");
    for (size_t i = 0; i < finding->allocated_count; i++) {
        json_object(&s->json, NULL);
        put_location(s, "location", &finding->allocated_at[i], NULL);
        if (finding->allocated_at[i].module)
            json_text(&s->json, "module", finding->allocated_at[i].module);
        json_end(&s->json, '}');
    }
    json_end(&s->json, ']');
    json_end(&s->json, '}');
    json_end(&s->json, ']');
}

static void put_properties(struct sarif *s, const struct process_report *report,
                           const struct finding *finding)
{
    json_object(&s->json, "properties");
    json_count(&s->json, "pid", report->pid);
    json_count(&s->json, "finding", finding->id);
    json_count(&s->json, "number", finding->number);
    json_number(&s->json, "confidence", finding->confidence);
    json_number(&s->json, "bytesPerStep", finding->rate.estimate);
    json_number(&s->json, "bytesPerStepLow", finding->rate.low);
    json_number(&s->json, "bytesPerStepHigh", finding->rate.high);
    json_count(&s->json, "liveBytes", finding->live_bytes);
    json_end(&s->json, '}');
}

static size_t rule_index(enum kind kind)
{
    size_t at = 0;

    while (at + 1 < RULES && rules[at].kind != kind)
        at++;
    return at;
}

static void put_result(struct sarif *s, const struct process_report *report,
                       const struct finding *finding)
{
    const struct place *where = words_where(finding);

    make_message(s, finding);
    json_object(&s->json, NULL);
    json_text(&s->json, "ruleId", kind_name(finding->kind));
    json_count(&s->json, "ruleIndex", rule_index(finding->kind));
    json_text(&s->json, "level", finding->note ? "note" : level_of(finding->kind));
    put_message(&s->json, "message", text_string(&s->message));
    json_list(&s->json, "locations");
    if (where)
        put_location(s, NULL, where, NULL);
    json_end(&s->json, ']');
    if (where == finding->stored_at && finding->allocated_count > 0) {
        json_list(&s->json, "relatedLocations");
        put_location(s, NULL, finding->allocated_at, "allocated here");
        json_end(&s->json, ']');
    }
    put_stack(s, finding);
    put_fingerprint(s, finding);
    put_properties(s, report, finding);
    json_end(&s->json, '}');
}

/* ---- the log ---- */

static void put_tool(struct json *json)
{
    json_object(json, "tool");
    json_object(json, "driver");
    json_text(json, "name", "tare");
    json_text(json, "version", TARE_VERSION);
    json_list(json, "rules");
    for (size_t i = 0; i < RULES; i++) {
        json_object(json, NULL);
        json_text(json, "id", rules[i].name);
        put_message(json, "shortDescription", rules[i].says);
        json_object(json, "defaultConfiguration");
        json_text(json, "level", level_of(rules[i].kind));
        json_end(json, '}');
        json_end(json, '}');
    }
    json_end(json, ']');
    json_end(json, '}');
    json_end(json, '}');
}

static void put_run(struct sarif *s, const struct diagnosis *d)
{
    json_object(&s->json, NULL);
    put_tool(&s->json);
    json_text(&s->json, "columnKind", "unicodeCodePoints");
    json_list(&s->json, "results");
    for (size_t i = 0; i < d->process_count; i++)
        for (size_t k = 0; k < d->processes[i].finding_count; k++)
            put_result(s, &d->processes[i], &d->processes[i].findings[k]);
    json_end(&s->json, ']');
    json_object(&s->json, "properties");
    json_text(&s->json, "verdict", kind_name(d->verdict));
    json_text(&s->json, "answer", d->answer);
    json_end(&s->json, '}');
    json_end(&s->json, '}');
}

int export_sarif(const struct export *e, struct why *why)
{
    struct sarif s = {0};
    bool failed;

    if (getcwd(s.home, sizeof(s.home) - 1) && s.home[1])
        strcat(s.home, "/");
    json_init(&s.json, e->out);
    json_object(&s.json, NULL);
    json_text(&s.json, "$schema", SCHEMA_ADDRESS);
    json_text(&s.json, "version", "2.1.0");
    json_list(&s.json, "runs");
    put_run(&s, e->diagnosis);
    json_end(&s.json, ']');
    json_end(&s.json, '}');
    json_fini(&s.json);
    failed = s.uri.failed || s.message.failed;
    text_free(&s.uri);
    text_free(&s.message);
    return failed ? fail(why, ERR_NOMEM, "no memory for the findings") : 0;
}
