/* view_files.c - the user's source around the lines that allocate, for the page.
 *
 * A ledger may come from someone else, and a page may be sent to someone else. Only files that the run
 * recorded are read (doctor/source/source.h), so a forged path cannot put a key or a password into the page.
 * If a file has changed since the run, the page says so and does not show it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/source/source.h"
#include "ledger/model.h"
#include "report/view_parts.h"

#define FILES_MOST  60
#define LINES_MOST  6000 /* lines of all files together */
#define WHOLE_LINES 400  /* a file of at most so many lines is shown whole */
#define AROUND      5    /* lines before and after a line with a frame */

/* Sets wanted[n] for each line from 1 to `count` that is shown. */
static void mark_lines(const struct view *view, size_t file, bool *wanted, size_t count)
{
    for (size_t i = 0; i < view->lines.count; i++) {
        size_t key[2];

        memcpy(key, view->lines.entries[i].bytes, sizeof(key));
        if (key[0] != file || key[1] > count)
            continue;
        for (size_t line = key[1] > AROUND ? key[1] - AROUND : 1;
             line <= key[1] + AROUND && line <= count; line++)
            wanted[line] = true;
    }
    for (size_t line = 1; count <= WHOLE_LINES && line <= count; line++)
        wanted[line] = true;
}

static size_t count_lines(const char *bytes, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '\n';
    return size > 0 && bytes[size - 1] != '\n' ? count + 1 : count;
}

/* Runs of wanted lines as {"first", "lines"}. */
static void put_parts(struct view *view, const char *bytes, size_t size, const bool *wanted,
                      size_t *left)
{
    const char *at = bytes, *end = bytes + size;
    struct text line = {0};
    bool open = false;

    json_list(view->json, "parts");
    for (size_t number = 1; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        const bool shown = wanted[number] && *left > 0;

        if (open && !shown) {
            json_end(view->json, ']');
            json_end(view->json, '}');
        }
        if (shown && !open) {
            json_object(view->json, NULL);
            json_count(view->json, "first", number);
            json_list(view->json, "lines");
        }
        open = shown;
        line.length = 0;
        text_add(&line, at, length);
        if (shown) {
            json_text(view->json, NULL, text_string(&line));
            (*left)--;
        }
        at += length + (stop != NULL);
    }
    if (open) {
        json_end(view->json, ']');
        json_end(view->json, '}');
    }
    json_end(view->json, ']');
    view->failed |= line.failed;
    text_free(&line);
}

static void put_changed(struct view *view, const char *path)
{
    json_object(view->json, NULL);
    json_text(view->json, "path", path);
    json_count(view->json, "lines", 0);
    json_truth(view->json, "changed", true);
    json_list(view->json, "parts");
    json_end(view->json, ']');
    json_end(view->json, '}');
}

static void put_file(struct view *view, const char *bytes, size_t size, size_t file, size_t *left)
{
    const size_t count = count_lines(bytes, size);
    bool *wanted = mem_zalloc_array(count + 2, sizeof(*wanted));

    if (wanted) {
        mark_lines(view, file, wanted, count);
        json_object(view->json, NULL);
        json_text(view->json, "path", view->files.entries[file].bytes);
        json_count(view->json, "lines", count);
        json_truth(view->json, "changed", false);
        put_parts(view, bytes, size, wanted, left);
        json_end(view->json, '}');
    }
    view->failed |= !wanted;
    mem_free(wanted);
}

void view_files(struct view *view)
{
    struct sources *sources = sources_new(view->run, view->diagnosis->arena);
    size_t left = LINES_MOST, files = 0;

    view->failed |= !sources;
    json_list(view->json, "files");
    for (size_t i = 0; sources && !view->redact && i < view->files.count && files < FILES_MOST; i++) {
        const char *path = view->files.entries[i].bytes;
        size_t size;
        const char *bytes = sources_whole(sources, path, &size);

        if (bytes && size > 0)
            put_file(view, bytes, size, i, &left);
        else if (sources_changed(sources, path))
            put_changed(view, path);
        files += bytes != NULL;
    }
    json_end(view->json, ']');
    sources_free(sources);
}
