/* script_store.c - see script_store.h. */
#include "doctor/held/script_store.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "doctor/held/helper.h"
#include "doctor/source/places.h"
#include "doctor/held/store_advice.h"
#include "doctor/source/source.h"
#include "doctor/source/source_map.h"
#include "doctor/held/store.h"

/* ---- the question ---- */

static bool is_written(const struct place *place)
{
    return place->user && place->file && place->line > 0;
}

static void put_stack(struct text *out, const struct finding *finding)
{
    bool first = true;

    for (size_t i = 0; i < finding->allocated_count; i++) {
        const struct place *place = &finding->allocated_at[i];

        if (!is_written(place))
            continue;
        text_put(out, first ? "{" : ",{");
        first = false;
        store_put_text(out, "file", place->script ? place->script : place->file);
        text_put(out, ",");
        store_put_text(out, "function", place->function);
        text_print(out, ",\"line\":%u}", place->script ? place->script_line : place->line);
    }
}

static void put_question(struct text *out, const struct finding *finding)
{
    text_put(out, "{\"path\":[");
    store_put_path(out, finding);
    text_print(out, "],\"heap\":%s,\"growing\":%lld,\"stack\":[", finding->heap ? "true" : "false",
               finding->holder_growing < finding->holder_count ? (long long)finding->holder_growing
                                                               : -1ll);
    put_stack(out, finding);
    text_put(out, "]}");
}

/* ---- the scripts that ran ---- */

#define TEXTS_MOST 32 /* scripts in one question */

/* The scripts that are in the question already. */
struct texts {
    const char *paths[TEXTS_MOST]; /* borrowed */
    size_t count;                  /* number of paths */
};

/* The size of the script without its source map, which may be most of it. */
static size_t without_map(const char *text, size_t size)
{
    const char *url;
    size_t length;

    return source_map_url(text, size, &url, &length) ? (size_t)(url - text) : size;
}

static void put_text(struct text *out, struct texts *texts, const struct visit *visit, const char *path)
{
    const char *text = NULL;
    size_t size;

    for (size_t i = 0; i < texts->count; i++)
        if (!path || strcmp(texts->paths[i], path) == 0)
            return;
    if (path && texts->count < TEXTS_MOST)
        text = places_as_run(visit->places, path, &size);
    if (path && !text && texts->count < TEXTS_MOST)
        text = sources_whole(places_sources(visit->places), path, &size);
    if (!text)
        return;
    text_put(out, texts->count ? ",{" : "{");
    texts->paths[texts->count++] = path;
    store_put_text(out, "file", path);
    text_put(out, ",\"text\":");
    text_json(out, text, without_map(text, size));
    text_put(out, "}");
}

/* Adds the text of each script that a question names, as it ran. The helper opens no file. */
static void put_texts(struct text *out, struct texts *texts, const struct visit *visit,
                      const struct finding *finding)
{
    for (size_t i = 0; i < finding->allocated_count; i++)
        put_text(out, texts, visit,
                 finding->allocated_at[i].script ? finding->allocated_at[i].script
                                                 : finding->allocated_at[i].file);
    for (size_t i = 0; i < finding->holder_count; i++)
        put_text(out, texts, visit, finding->holder_path[i].file);
}

/* ---- the answer ---- */

static bool has_line(const char *from, const char *end, const char *line)
{
    const char *found = strstr(from, line);

    return found && found < end;
}

/* The end of this answer. */
static const char *end_of(const char *at)
{
    const char *end = *at == '\n' ? at : strstr(at, "\n\n"); /* data: the helper's answer */

    return end ? end : at + strlen(at);
}

static bool is_keyed(const struct finding *finding)
{
    const struct holder_step *step = &finding->holder_path[finding->holder_growing];

    return text_is(step->type, "Map") || text_is(step->type, "Set") ||
           text_is(finding->store->operation, "item");
}

static void call_cache(struct finding *finding)
{
    finding->kind = KIND_unbounded_cache;
    fact_add(finding, (struct fact){.id = FACT_read_by_key, .text = finding->store->container});
}

/* Replaces the line of the innermost function of the program, which was the function's first
 * line, with the line of the allocation. Also sets its name, unless that is empty. */
static void name_line(struct finding *finding, const struct visit *visit, unsigned line, unsigned column,
                      const char *function)
{
    struct place *places = arena_take(visit->arena, finding->allocated_count, sizeof(*places));
    size_t at = 0;
    struct place *place;

    if (!places)
        return;
    memcpy(places, finding->allocated_at, finding->allocated_count * sizeof(*places));
    while (at < finding->allocated_count && !is_written(&places[at]))
        at++;
    if (at == finding->allocated_count)
        return;
    place = &places[at];
    if (place->script) {
        place->file = place->script;
        place->script_line = line;
    }
    place->line = line;
    if (place->script && !places_original(visit->places, &place->file, &place->line, column))
        return;
    places_quote(visit->places, place);
    if (function[0])
        place->function = arena_print(visit->arena, "%s", function);
    finding->allocated_at = places;
}

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');

    return end ? end + 1 : at + strlen(at);
}

static void use_maker(struct finding *finding, const struct visit *visit, const char *answer)
{
    const char *const end = end_of(answer);
    char function[96] = "";
    unsigned line, column;

    for (const char *at = answer; at < end; at = next_line(at))
        if (sscanf(at, "made %9u %9u %95[^\n]", &line, &column, function) >= 2)
            name_line(finding, visit, line, column, function);
}

static const char *use(struct finding *finding, struct visit *visit, const char *answer)
{
    const char *end = end_of(answer);
    const bool reads = has_line(answer, end, "\nreads 1");

    use_maker(finding, visit, answer);
    answer = store_read(finding, answer, LANGUAGE_JAVASCRIPT, visit->places, visit->arena);
    if (reads && finding->store && finding->holder_growing < finding->holder_count &&
        is_keyed(finding))
        call_cache(finding);
    if (finding->store)
        advise(finding, store_advice_script(finding));
    return answer;
}

static bool is_asked(const struct finding *finding)
{
    return ((finding->kind == KIND_retained || finding->kind == KIND_unbounded_cache) &&
            finding->holder_count > 0) ||
           (finding->heap && finding->allocated_count > 0);
}

/* Replaces file and line of each step with those of the original source, for the report. The
 * search was in the script that ran. */
static void use_originals(struct finding *finding, const struct visit *visit)
{
    struct holder_step *path = arena_take(visit->arena, finding->holder_count, sizeof(*path));

    if (!path)
        return;
    for (size_t i = 0; i < finding->holder_count; i++) {
        path[i] = finding->holder_path[i];
        (void)places_original(visit->places, &path[i].file, &path[i].line, path[i].column);
    }
    finding->holder_path = path;
}

static void ask_all(struct visit *visit)
{
    struct text question = {0}, answer = {0};
    struct texts texts = {0};
    size_t asked = 0;

    text_put(&question, "{\"questions\":[");
    for (size_t i = 0; i < visit->finding_count; i++)
        if (is_asked(&visit->findings[i])) {
            text_put(&question, asked++ ? "," : "");
            put_question(&question, &visit->findings[i]);
        }
    text_put(&question, "],\"texts\":[");
    for (size_t i = 0; i < visit->finding_count; i++)
        if (is_asked(&visit->findings[i]))
            put_texts(&question, &texts, visit, &visit->findings[i]);
    text_put(&question, "]}");
    if (asked > 0 && helper_ask_node(visit_interpreter(visit), "store.cjs", &question, &answer)) {
        const char *at = text_string(&answer);

        for (size_t i = 0; i < visit->finding_count; i++)
            if (is_asked(&visit->findings[i]))
                at = use(&visit->findings[i], visit, at);
    }
    text_free(&question);
    text_free(&answer);
}

void script_store_find(struct visit *visit)
{
    if (!visit->runtime->own_heap)
        return;
    ask_all(visit);
    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].holder_count > 0)
            use_originals(&visit->findings[i], visit);
}
