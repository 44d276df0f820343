/* store.c - see store.h. */
#include "doctor/held/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/held/helper.h"
#include "doctor/held/owners.h"
#include "doctor/source/places.h"
#include "doctor/source/python_imports.h"
#include "doctor/held/store_advice.h"
#include "doctor/facts/runtimes.h"
#include "doctor/source/source.h"
#include "doctor/measure/visit.h"
#include "ledger/model.h"

#define FILES_MAX  100                   /* files of the program that a question contains */
#define LINE_LIMIT 100000000             /* larger line numbers are ignored */
#define TEXT_LIMIT (24u * 1024u * 1024u) /* bytes of all files in a question */

/* ---- the questions ---- */

void store_put_text(struct text *out, const char *name, const char *value)
{
    text_print(out, "\"%s\":", name);
    text_json(out, value ? value : "", value ? strlen(value) : 0);
}

static void put_count(struct text *out, const char *name, uint64_t value)
{
    text_print(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void put_step(struct text *out, const struct holder_step *step)
{
    text_put(out, "{");
    store_put_text(out, "kind", owner_kind_name(step->kind));
    text_put(out, ",");
    store_put_text(out, "name", step->name);
    text_put(out, ",");
    store_put_text(out, "type", step->type);
    text_put(out, ",");
    store_put_text(out, "file", step->file);
    put_count(out, "line", step->line);
    put_count(out, "number", step->number);
    put_count(out, "length", step->length);
    put_count(out, "bound", step->bound);
    text_put(out, "}");
}

void store_put_path(struct text *out, const struct finding *finding)
{
    for (size_t i = 0; i < finding->holder_count; i++) {
        text_put(out, i ? "," : "");
        put_step(out, &finding->holder_path[i]);
    }
}

static bool is_user_line(const struct place *place)
{
    return place->user && place->file && place->line && place->language == LANGUAGE_PYTHON;
}

static void put_place(struct text *out, const struct place *place, bool *first)
{
    text_put(out, *first ? "{" : ",{");
    *first = false;
    store_put_text(out, "file", place->file);
    text_put(out, ",");
    store_put_text(out, "function", place->function);
    put_count(out, "line", place->line);
    text_put(out, "}");
}

static void put_stack(struct text *out, const struct finding *finding)
{
    bool first = true;

    text_put(out, ",\"stack\":[");
    for (size_t i = 0; i < finding->allocated_count; i++)
        if (is_user_line(&finding->allocated_at[i]))
            put_place(out, &finding->allocated_at[i], &first);
    text_put(out, "]");
}

/* Adds the lines that grow: the storage of a container grows at the line that stores into it. */
static void put_measured(struct text *out, const struct process_report *report)
{
    bool first = true;

    text_put(out, ",\"measured\":[");
    for (size_t i = 0; i < report->growing_site_count; i++) {
        const struct site_summary *site = &report->growing_sites[i];

        if (site->place_count > 0 && is_user_line(&site->places[0]))
            put_place(out, &site->places[0], &first);
    }
    text_put(out, "]");
}

static bool is_among(const char *const *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static void put_files(struct text *out, const struct model *model)
{
    const char *sent[FILES_MAX];
    size_t count = 0;

    text_put(out, ",\"files\":[");
    for (size_t i = 0; i < model->code_count && count < FILES_MAX; i++) {
        const char *file = model->code[i].file;

        if (file[0] != '/' || runtimes_python(file) || is_among(sent, count, file))
            continue;
        text_put(out, count ? "," : "");
        text_json(out, file, strlen(file));
        sent[count++] = file;
    }
    text_put(out, "]");
}

static void put_question(struct text *out, const struct finding *finding,
                         const struct process_report *report, const struct model *model)
{
    text_put(out, "{\"path\":[");
    store_put_path(out, finding);
    text_print(out, "],\"container\":%lld",
               finding->holder_growing < finding->holder_count ? (long long)finding->holder_growing
                                                               : -1ll);
    put_stack(out, finding);
    put_measured(out, report);
    put_files(out, model);
    text_put(out, "}");
}

/* ---- the text of the files ---- */

/* The files that are added to a question. */
struct texts {
    struct text *out;        /* the question */
    struct sources *sources; /* reads the files that the run recorded */
    size_t count;            /* files added so far */
    size_t left;             /* bytes that may still be added */
};

static void put_text(const char *path, void *with)
{
    struct texts *texts = with;
    size_t size;
    const char *bytes = sources_whole(texts->sources, path, &size);

    if (!bytes || size > texts->left || runtimes_python(path))
        return;
    text_put(texts->out, texts->count++ ? ",{" : "{");
    texts->left -= size;
    store_put_text(texts->out, "file", path);
    text_put(texts->out, ",\"text\":");
    text_json(texts->out, bytes, size);
    text_put(texts->out, "}");
}

static void put_python_text(const char *path, void *with)
{
    const char *dot = strrchr(path, '.');

    if (!dot || strchr(dot, '/') || text_begins(dot, ".py"))
        put_text(path, with);
}

/* Adds only files that the run recorded and that have not changed. The helper opens no file. */
static void put_texts(struct text *out, const struct model *model, struct sources *sources)
{
    struct texts texts = {.out = out, .sources = sources, .left = TEXT_LIMIT};

    for (size_t i = 0; i < model->code_count; i++)
        if (!runtimes_python(model->code[i].file))
            sources_script(sources, model->code[i].file);
    python_imports_follow(sources);
    sources_each(sources, put_python_text, &texts);
}

/* ---- the answers ---- */

/* One line of an answer: "name value". */
struct field {
    const char *name;  /* ends at the blank before `value` */
    const char *value; /* not terminated */
    size_t length;     /* bytes of `value` */
};

/* Reads one line of "name value"; false: it is empty, and the answer ends. */
static bool next_field(const char **at, struct field *out)
{
    const char *end = strchr(*at, '\n');
    const char *blank = strchr(*at, ' ');
    const size_t line = end ? (size_t)(end - *at) : strlen(*at);

    out->name = *at;
    *at += line + (end ? 1 : 0);
    if (line == 0)
        return false;
    if (!blank || (size_t)(blank - out->name) > line)
        blank = out->name + line;
    out->value = *blank == ' ' ? blank + 1 : blank;
    out->length = line - (size_t)(out->value - out->name);
    return true;
}

static bool is_named(const struct field *field, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(field->name, name, length) == 0 && field->name[length] == ' ';
}

static unsigned count_of(const struct field *field)
{
    const unsigned long count = strtoul(field->value, NULL, 10);

    return count < LINE_LIMIT ? (unsigned)count : 0;
}

/* The helper's answer about one finding. */
struct answer {
    struct store store;    /* the kind of statement, and its container and value */
    const char *file;      /* the file of the statement */
    const char *function;  /* the function of the statement */
    unsigned line, column; /* its position; column 0: not known */
};

/* "FIRST LAST replace": whole lines, and how code goes there. */
static void take_span(struct store *store, const struct field *field)
{
    static const struct {
        const char *name;
        enum fix_lines lines;
    } known[] = {{"change", FIX_change},       {"follow", FIX_follow},       {"finish", FIX_finish},
                 {"default", FIX_header}, {"decorator", FIX_decorator}, {"carry", FIX_carry}};
    char text[64], way[16] = "";
    unsigned first = 0, last = 0;
    enum fix_where where = FIX_NOWHERE;

    (void)snprintf(text, sizeof(text), "%.*s", field->length < 60 ? (int)field->length : 60, field->value);
    if (sscanf(text, "%8u %8u %15s", &first, &last, way) != 3 || first == 0 || last < first)
        return;
    for (enum fix_where i = FIX_REPLACE; i <= FIX_BEFORE; i++)
        if (strcmp(way, fix_where_name(i)) == 0)
            where = i;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (is_named(field, known[i].name))
            store->spans[known[i].lines] = (struct fix_span){.where = where, .first = first, .last = last};
}

static void take_field(struct answer *answer, const struct field *field, struct arena *arena)
{
    struct store *store = &answer->store;
    const struct {
        const char *name;
        const char **text;
        bool *truth;
    } known[] = {
        {"file", &answer->file, NULL},          {"function", &answer->function, NULL},
        {"operation", &store->operation, NULL}, {"container", &store->container, NULL},
        {"key", &store->key, NULL},             {"stored", &store->stored, NULL},
        {"head", &store->head, NULL},           {"tail", &store->tail, NULL},
        {"type", &store->type, NULL},           {"header", &store->header, NULL},
        {"initial", &store->initial, NULL},     {"limited", &store->limited, NULL},
        {"imports", &store->imports, NULL},     {"carried", &store->carried, NULL},
        {"assigned", &store->assigned, NULL},   {"module", &store->module, NULL},
        {"called", &store->called, NULL},       {"imported", &store->imported, NULL},
        {"value", &store->value, NULL},
        {"again", NULL, &store->again},         {"single", NULL, &store->single},
        {"slice", NULL, &store->slice},         {"object", NULL, &store->object},
        {"graph", NULL, &store->graph},         {"indexed", NULL, &store->indexed},
        {"removed", NULL, &store->removed},     {"joins", NULL, &store->joins},
        {"none", NULL, &store->none},
    };

    if (is_named(field, "line"))
        answer->line = count_of(field);
    if (is_named(field, "column"))
        answer->column = count_of(field);
    if (is_named(field, "length"))
        store->length = count_of(field);
    take_span(store, field);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!is_named(field, known[i].name))
            continue;
        if (known[i].text)
            *known[i].text = arena_text(arena, field->value, field->length);
        else
            *known[i].truth = field->value[0] == '1';
    }
}

/* The interpreter's own memory has no name where the search found it; what the statement registers with
 * has one. */
static void name_root(struct finding *out, struct arena *arena)
{
    struct holder_step *path;

    if (out->holder_count == 0 || out->holder_path[0].kind != OWNER_RUNTIME || out->holder_path[0].name[0] ||
        !text_is(out->store->operation, "register"))
        return;
    path = arena_take(arena, out->holder_count, sizeof(*path));
    if (!path)
        return;
    memcpy(path, out->holder_path, out->holder_count * sizeof(*path));
    path[0].name = out->store->container;
    out->holder_path = path;
    out->held_by = owners_text(path, out->holder_count, out->holder_growing, arena);
}

static void use(struct finding *out, const struct answer *answer, enum language language,
                struct places *places, struct arena *arena)
{
    struct place *place = arena_take(arena, 1, sizeof(*place));
    struct store *store = arena_take(arena, 1, sizeof(*store));

    if (!place || !store)
        return;
    *store = answer->store;
    *place = (struct place){.file = answer->file,
                            .line = answer->line,
                            .function = answer->function[0] ? answer->function : NULL,
                            .module = language_name(language),
                            .language = language,
                            .user = true};
    if (places && language == LANGUAGE_JAVASCRIPT &&
        places_original(places, &place->file, &place->line, answer->column)) {
        place->script = answer->file;
        place->script_line = answer->line;
    }
    if (places)
        places_quote(places, place);
    out->stored_at = place;
    out->store = store;
    name_root(out, arena);
    if (language == LANGUAGE_PYTHON)
        advise(out, store_advice(out));
}

const char *store_read(struct finding *out, const char *answer, enum language language,
                       struct places *places, struct arena *arena)
{
    struct answer found = {.store = {.operation = "", .container = "", .key = "", .stored = "", .head = "",
                                     .tail = "", .type = "", .value = "", .imported = ""},
                           .file = "",
                           .function = ""};
    struct field field;

    while (next_field(&answer, &field))
        take_field(&found, &field, arena);
    if (found.file && found.file[0] && found.line > 0 && !arena_failed(arena))
        use(out, &found, language, places, arena);
    return answer;
}

/* The helper is asked about this finding. Without a holder's path it may still answer, if only
 * one statement of the source keeps what the line allocates. It is not asked about memory that
 * nothing holds. */
static bool is_asked(const struct finding *finding)
{
    if (finding->allocated_count == 0 || finding->stored_at || finding->sought || finding->left)
        return false;
    return finding->holder_count > 0 ||
           (finding->kind == KIND_retained && is_user_line(&finding->allocated_at[0]));
}

void store_find(struct finding *findings, size_t count, const struct process_report *report,
                const struct visit *visit)
{
    const struct model *model = visit->model;
    struct places *places = visit->places;
    struct arena *arena = visit->arena;
    struct text question = {0}, answer = {0};
    size_t asked = 0;

    text_put(&question, "{\"questions\":[");
    for (size_t i = 0; i < count; i++) {
        if (!is_asked(&findings[i]))
            continue;
        text_put(&question, asked++ ? "," : "");
        put_question(&question, &findings[i], report, model);
    }
    text_put(&question, "],\"texts\":[");
    if (asked > 0 && places)
        put_texts(&question, model, places_sources(places));
    text_put(&question, "]}");
    if (asked > 0 && helper_ask(visit_interpreter(visit), "store", &question, &answer)) {
        const char *at = text_string(&answer);

        for (size_t i = 0; i < count; i++) {
            if (!is_asked(&findings[i]))
                continue;
            at = store_read(&findings[i], at, LANGUAGE_PYTHON, places, arena);
            if (findings[i].stored_at && findings[i].holder_count == 0)
                fact_add(&findings[i], FACT_OF(one_statement, 0)); /* the holder was not searched */
        }
    }
    for (size_t i = 0; i < count; i++)
        findings[i].sought = true;
    text_free(&question);
    text_free(&answer);
}
