/* lines_form.c - see lines_form.h. */
#include "report/lines_form.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/source/source.h"
#include "report/load.h"
#include "report/json/json_writer.h"
#include "report/page.h"

#define SOURCE_COLUMNS 160
#define OTHERS_LEAST 65536 /* other threads get a column if they allocated so many bytes on one line */
#define LINES_SHOWN  2000  /* lines of one function, with those without numbers */

/* ---- the rows of a function ---- */

struct table {
    const struct model *model;
    const struct model_line *function;
    const struct model_line **rows; /* owned; its lines that have numbers, in order */
    size_t count;                   /* of rows */
};

static int by_line(const void *a, const void *b)
{
    const struct model_line *one = *(const struct model_line *const *)a;
    const struct model_line *other = *(const struct model_line *const *)b;

    return (one->line > other->line) - (one->line < other->line);
}

static bool table_init(struct table *table, const struct model *model, size_t index)
{
    const uint32_t id = (uint32_t)index + 1;

    *table = (struct table){.model = model, .function = &model->lines[index]};
    if (model->lines[index].function != id || model->lines[index].line != 0 ||
        model->lines[index].hits == 0)
        return false;
    table->rows = mem_zalloc_array(model->line_count, sizeof(*table->rows));
    if (!table->rows)
        return false;
    for (size_t i = 0; i < model->line_count; i++)
        if (model->lines[i].function == id && model->lines[i].line != 0 &&
            model->lines[i].hits + model->lines[i].added + model->lines[i].released > 0)
            table->rows[table->count++] = &model->lines[i];
    qsort(table->rows, table->count, sizeof(*table->rows), by_line);
    return true;
}

static void each_table(const struct run *run, void (*visit)(const struct table *table, void *with),
                       void *with)
{
    for (size_t p = 0; p < run->process_count; p++) {
        struct model *model = NULL;
        struct why why;

        if (run->processes[p]->head.table[SECTION_line_rows].used == 0 ||
            run_read(run, p, &model, &why) != 0)
            continue;
        for (size_t i = 0; i < model->line_count; i++) {
            struct table table;

            if (table_init(&table, model, i))
                visit(&table, with);
            mem_free(table.rows);
        }
        run_give_back(run, p, model);
    }
}

static void count_one(const struct table *table, void *with)
{
    (void)table;
    ++*(size_t *)with;
}

size_t lines_count(const struct run *run)
{
    size_t count = 0;

    each_table(run, count_one, &count);
    return count;
}

/* ---- the source ---- */

struct listing {
    const char *at;  /* where line `line` begins; NULL: the file cannot be shown */
    const char *end; /* of the file */
    uint32_t line;   /* the next one to read, from 1 */
};

static struct listing listing_of(struct sources *sources, const char *path)
{
    size_t size;
    const char *bytes;

    if (!sources)
        return (struct listing){.line = 1};
    sources_script(sources, path);
    bytes = sources_whole(sources, path, &size);

    return (struct listing){.at = bytes, .end = bytes ? bytes + size : NULL, .line = 1};
}

/* The text of a line, harmless on a terminal. Lines must be requested in order. */
static void listing_line(struct listing *listing, uint32_t line, struct text *out)
{
    const char *end = listing->end, *stop;

    while (listing->at && listing->at < end && listing->line < line) {
        const char *newline = memchr(listing->at, '\n', (size_t)(end - listing->at));

        listing->at = newline ? newline + 1 : end;
        listing->line++;
    }
    if (!listing->at || listing->at >= end)
        return;
    stop = memchr(listing->at, '\n', (size_t)(end - listing->at));
    if (!stop)
        stop = end;
    while (stop > listing->at && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t'))
        stop--;
    if (stop - listing->at > SOURCE_COLUMNS)
        stop = listing->at + SOURCE_COLUMNS;
    text_safe(out, listing->at, (size_t)(stop - listing->at));
}

/* ---- text ---- */

struct writing {
    struct page page;
    bool several; /* more than one process has a table */
    bool any;     /* a table was written */
    struct sources *sources; /* owned; NULL: no memory */
};

static const char *size_or_blank(char out[TEXT_SIZE_MAX], uint64_t bytes)
{
    return bytes ? text_size(out, bytes) : "";
}

static const char *signed_or_blank(char out[TEXT_SIZE_MAX], int64_t bytes)
{
    return bytes ? text_size_signed(out, (double)bytes) : "";
}

static bool has_others(const struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i]->others_added + table->rows[i]->others_released >= OTHERS_LEAST)
            return true;
    return false;
}

static void put_row(const struct writing *writing, const struct model_line *row, bool others)
{
    char added[TEXT_SIZE_MAX], released[TEXT_SIZE_MAX], kept[TEXT_SIZE_MAX];
    char resident[TEXT_SIZE_MAX], other[TEXT_SIZE_MAX], hits[TEXT_SIZE_MAX];

    (void)fprintf(writing->page.out, "%6u %9s %10s %10s %10s %10s", row->line,
                  text_count(hits, row->hits), size_or_blank(added, row->added),
                  size_or_blank(released, row->released),
                  signed_or_blank(kept, (int64_t)(row->added - row->released)),
                  signed_or_blank(resident, row->resident));
    if (others)
        (void)fprintf(writing->page.out, " %10s",
                      signed_or_blank(other,
                                      (int64_t)(row->others_added - row->others_released)));
}

static void put_rows(struct writing *writing, const struct table *table)
{
    const bool others = has_others(table);
    const uint32_t first = table->function->first_line;
    const uint32_t last = table->count ? table->rows[table->count - 1]->line : 0;
    struct listing listing = listing_of(writing->sources, table->function->file);
    size_t at = 0;

    for (uint32_t line = first; line <= last && line - first < LINES_SHOWN; line++) {
        struct text source = {0};

        listing_line(&listing, line, &source);
        while (at < table->count && table->rows[at]->line < line)
            at++;
        if (at < table->count && table->rows[at]->line == line)
            put_row(writing, table->rows[at], others);
        else
            (void)fprintf(writing->page.out, "%6u %9s %10s %10s %10s %10s%s", line, "", "", "", "",
                          "", others ? "           " : "");
        (void)fprintf(writing->page.out, "  %s\n", text_string(&source));
        text_free(&source);
    }
}

static void put_heading(struct writing *writing, const struct table *table)
{
    const struct model_line *function = table->function;
    char hits[TEXT_SIZE_MAX];
    struct text safe = {0};

    text_safe(&safe, function->name, strlen(function->name));
    text_put(&safe, "  ");
    text_safe(&safe, function->file, strlen(function->file));
    page_tone(&writing->page, TONE_BOLD, text_string(&safe));
    (void)fprintf(writing->page.out, ":%u, %s call%s", function->first_line,
                  text_count(hits, function->hits), function->hits == 1 ? "" : "s");
    if (writing->several)
        (void)fprintf(writing->page.out, " in process %u", table->model->head.pid);
    (void)fprintf(writing->page.out, "\n%6s %9s %10s %10s %10s %10s%s  %s\n", "line", "hits",
                  "added", "released", "kept", "resident",
                  has_others(table) ? "    threads" : "", "source");
    text_free(&safe);
}

static void put_table(const struct table *table, void *with)
{
    struct writing *writing = with;

    if (writing->any)
        (void)fputc('\n', writing->page.out);
    writing->any = true;
    put_heading(writing, table);
    put_rows(writing, table);
    if (writing->sources && sources_changed(writing->sources, table->function->file))
        (void)fputs("The source has changed since the run, so its lines are not shown.\n",
                    writing->page.out);
    if (!(table->function->flags & LINE_SMALL))
        (void)fputs("Python's small objects are not in these numbers: the interpreter does not use its "
                    "usual allocator.\n", writing->page.out);
    if (!(table->function->flags & LINE_LOCALS))
        (void)fputs("Memory held by local variables is freed after the last line and is "
                    "not in these numbers.\n", writing->page.out);
}

void lines_text(const struct run *run, bool color, FILE *out)
{
    struct arena *arena = arena_new();
    struct writing writing = {.several = run->process_count > 1,
                              .sources = arena ? sources_new(run, arena) : NULL};

    page_init(&writing.page, out, color);
    each_table(run, put_table, &writing);
    sources_free(writing.sources);
    if (arena)
        arena_free(arena);
}

/* ---- JSON ---- */

static void put_line(struct json *json, const struct model_line *row)
{
    json_object(json, NULL);
    json_count(json, "line", row->line);
    json_count(json, "hits", row->hits);
    json_count(json, "added", row->added);
    json_count(json, "released", row->released);
    json_whole(json, "kept", (int64_t)(row->added - row->released));
    json_whole(json, "kept_least", row->least);
    json_whole(json, "kept_most", row->most);
    json_whole(json, "resident", row->resident);
    json_count(json, "others_added", row->others_added);
    json_count(json, "others_released", row->others_released);
    json_count(json, "time_ns", row->time_ns);
    json_end(json, '}');
}

static void put_function(const struct table *table, void *with)
{
    struct json *json = with;
    const struct model_line *function = table->function;

    json_object(json, NULL);
    json_text(json, "function", function->name);
    json_text(json, "file", function->file);
    json_count(json, "first_line", function->first_line);
    json_count(json, "pid", table->model->head.pid);
    json_count(json, "calls", function->hits);
    json_truth(json, "small_objects", function->flags & LINE_SMALL);
    json_truth(json, "variables", function->flags & LINE_LOCALS);
    json_list(json, "lines");
    for (size_t i = 0; i < table->count; i++)
        put_line(json, table->rows[i]);
    json_end(json, ']');
    json_end(json, '}');
}

void lines_json(const struct run *run, FILE *out)
{
    struct json json;

    json_init(&json, out);
    json_object(&json, NULL);
    json_count(&json, "schema", 1);
    json_list(&json, "functions");
    each_table(run, put_function, &json);
    json_end(&json, ']');
    json_end(&json, '}');
    json_fini(&json);
}

int lines_path(const char *path, bool json, bool color, FILE *out, struct why *why)
{
    struct run run;
    size_t count;
    const int err = report_load_brief(&run, path, why);

    if (err)
        return err;
    count = lines_count(&run);
    if (json)
        lines_json(&run, out);
    else
        lines_text(&run, color, out);
    run_free(&run);
    return (int)count;
}
