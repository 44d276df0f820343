/* fuzz_run.c - whatever a run directory contains, every verb that reads one ends and writes valid output.
 *
 * An input is a small directory: pieces of its files. The rest of each file is zeros, as most of a ledger
 * is. The run is loaded and judged once, and printed in every form; JSON must be valid, and text must not
 * contain control characters. The live view's digest is made of it, too.
 *
 * No helper is started (stand_ins.c); helpers have their own tests.
 */
#include "promise.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/verbs/check.h"
#include "doctor/verbs/compare.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/verbs/profile.h"
#include "ledger/model.h"
#include "live/board.h"
#include "live/digest.h"
#include "live/feed.h"
#include "live/frame.h"
#include "pieces.h"
#include "report/check_form.h"
#include "report/diff_form.h"
#include "report/explain.h"
#include "report/export/export.h"
#include "report/forms.h"
#include "report/lines_form.h"
#include "report/load.h"
#include "report/page.h"
#include "report/report.h"
#include "report/view.h"

static const char *const file_names[PIECE_FILES] = {
    "run.tare",   "100.0.tare", "100.1.tare",    "101.0.tare",
    "100.0.mail", "bell",       "100.0.scripts", "report.json",
};

/* ---- the directory ---- */

static const char *directory(void)
{
    static char path[] = "/dev/shm/tare-fuzz-XXXXXX";
    static bool made;

    if (!made)
        PROMISE(mkdtemp(path) != NULL);
    made = true;
    return path;
}

static void put_files(const uint8_t *bytes, size_t size)
{
    int files[PIECE_FILES];
    char path[128];
    struct piece piece;
    size_t at = 0;

    for (unsigned i = 0; i < PIECE_FILES; i++)
        files[i] = -1;
    while (piece_next(bytes, size, &at, &piece)) {
        int *fd = &files[piece.file];

        (void)snprintf(path, sizeof(path), "%s/%s", directory(), file_names[piece.file]);
        if (*fd < 0)
            *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        PROMISE(*fd >= 0);
        if (piece.length == 0)
            PROMISE(ftruncate(*fd, (off_t)piece.offset) == 0);
        else
            PROMISE(pwrite(*fd, piece.bytes, piece.length, (off_t)piece.offset) ==
                    (ssize_t)piece.length);
    }
    for (unsigned i = 0; i < PIECE_FILES; i++)
        if (files[i] >= 0)
            (void)close(files[i]);
}

static void remove_files(void)
{
    char path[128];

    for (unsigned i = 0; i < PIECE_FILES; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", directory(), file_names[i]);
        (void)unlink(path);
    }
}

static void remove_directory(void)
{
    remove_files();
    (void)rmdir(directory());
}

/* ---- the output ---- */

struct sink {
    FILE *file;
    char *bytes;
    size_t size;
};

static FILE *sink_open(struct sink *sink)
{
    *sink = (struct sink){0};
    sink->file = open_memstream(&sink->bytes, &sink->size);
    PROMISE(sink->file != NULL);
    return sink->file;
}

static void sink_close(struct sink *sink)
{
    PROMISE(fclose(sink->file) == 0);
}

/* A string begins at `at`, after its quote. Returns the place after its end. */
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (; at < size && text[at] != '"'; at++) {
        PROMISE((unsigned char)text[at] >= 0x20);
        if (text[at] == '\\')
            at++;
    }
    PROMISE(at < size);
    return at + 1;
}

static bool is_word(const char *text, size_t size, size_t at, const char *word)
{
    return size - at >= strlen(word) && memcmp(text + at, word, strlen(word)) == 0;
}

/* Brackets are in pairs, strings are closed, and numbers are valid in JSON. */
static void check_json(const char *text, size_t size)
{
    long depth = 0;

    for (size_t at = 0; at < size;) {
        const char c = text[at];

        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        PROMISE(depth >= 0);
        if (c == '"')
            at = skip_string(text, size, at + 1);
        else if (is_word(text, size, at, "true") || is_word(text, size, at, "null"))
            at += 4;
        else if (is_word(text, size, at, "false"))
            at += 5;
        else {
            PROMISE(c && strchr("{}[]:,+-.0123456789eE \n", c));
            at++;
        }
    }
    PROMISE(depth == 0);
}

static void check_plain(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        PROMISE((unsigned char)text[i] >= 0x20 || text[i] == '\n' || text[i] == '\t');
}

static void close_plain(struct sink *sink)
{
    sink_close(sink);
    check_plain(sink->bytes, sink->size);
    free(sink->bytes);
}

static void close_json(struct sink *sink)
{
    sink_close(sink);
    check_json(sink->bytes, sink->size);
    free(sink->bytes);
}

/* ---- the verbs ---- */

static void put_reports(const struct run *run, const struct diagnosis *d)
{
    const struct report_options options = {.color = false};
    struct sink sink;

    report_text(d, &options, sink_open(&sink));
    close_plain(&sink);
    report_json(d, sink_open(&sink));
    close_json(&sink);
    lines_text(run, false, sink_open(&sink));
    close_plain(&sink);
    lines_json(run, sink_open(&sink));
    close_json(&sink);
}

static void explain_all(const struct diagnosis *d)
{
    struct sink sink;
    struct page page;

    page_init(&page, sink_open(&sink), false);
    for (size_t i = 0; i < d->process_count; i++)
        for (size_t n = 0; n < d->processes[i].finding_count; n++)
            explain_finding(&page, &d->processes[i], &d->processes[i].findings[n]);
    close_plain(&sink);
}

static void export_all(const struct run *run, const struct diagnosis *d)
{
    struct profile profile = {0};
    struct why why = {""};
    struct export e = {.run = run, .diagnosis = d, .profile = &profile};
    struct sink sink;

    if (profile_make(&profile, run, d, &why) != 0)
        return;
#define FORMAT(name, stacks, binary, says)                                                         \
    e.out = sink_open(&sink);                                                                      \
    (void)export_##name(&e, &why);                                                                 \
    sink_close(&sink);                                                                             \
    free(sink.bytes);
#include "report/export/formats.def"
#undef FORMAT
}

static void hold_against(const struct diagnosis *d)
{
    static const struct check_limits limits[] = {
        {.growth = 0}, {.growth = 100, .unit = CHECK_PER_SECOND, .peak = 1 << 20}};
    struct comparison comparison;
    struct check check;
    struct why why = {""};

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        (void)check_run(&check, d, &limits[i], &why);
    (void)compare_runs(&comparison, d, d, &why);
}

/* The page comes last, because redacting cannot be undone. */
static void put_page(const struct run *run, struct diagnosis *d, bool redact)
{
    const struct report_options options = {.redact = redact};
    struct why why = {""};
    struct sink sink;

    (void)view_write(run, d, &options, sink_open(&sink), &why);
    sink_close(&sink);
    free(sink.bytes);
}

static void draw(const struct digest *digest)
{
    static const int keys[] = {'s', '\t', 'n', 'j', 'G', '\n', 'q'};
    static struct frame frame;
    struct board board;

    board_init(&board);
    board_judged(&board, digest, 1);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        frame_clear(&frame, 24, 80, i % 2);
        board_draw(&board, &frame);
        (void)board_key(&board, keys[i]);
    }
    board_fini(&board);
}

static void watch(const char *path)
{
    static struct feed feed;
    struct digest digest = {0};
    struct why why = {""};

    if (digest_make(&digest, path, &why) == 0)
        draw(&digest);
    digest_free(&digest);
    if (feed_open(&feed, path, &why) == 0) {
        feed_read(&feed);
        feed_read(&feed);
        (void)feed_ticks(&feed);
        feed_close(&feed);
    }
}

/* The verbs from their beginning, each with its own diagnosis, for some of the inputs. */
static void by_path(const char *path)
{
    const struct report_options options = {.json = true, .redact = true};
    const struct check_limits limits = {.growth = 1};
    struct export_request request = {.format = "pprof", .output = "/dev/null", .redact = true};
    struct why why = {""};
    struct sink sink;

    (void)check_path(path, &limits, NULL, &options, sink_open(&sink), &why);
    close_json(&sink);
    (void)diff_paths(path, path, &options, sink_open(&sink), &why);
    close_json(&sink);
    (void)explain_path(path, 0, 1, &(struct report_options){.redact = true}, sink_open(&sink),
                       &why);
    close_plain(&sink);
    (void)export_path(path, &request, &why);
    (void)report_path(path, &(struct report_options){.since = 1000000}, sink_open(&sink), &why);
    close_plain(&sink);
}

static void judge(const char *path, bool redact)
{
    struct diagnosis diagnosis = {0};
    struct run run = {0};
    struct why why = {""};

    if (report_load(&run, path, &why) == 0 && diagnose(&diagnosis, &run, &why) == 0) {
        put_reports(&run, &diagnosis);
        explain_all(&diagnosis);
        export_all(&run, &diagnosis);
        hold_against(&diagnosis);
        put_page(&run, &diagnosis, redact);
    } else {
        PROMISE(why.text[0] != 0);
    }
    diagnosis_free(&diagnosis);
    run_free(&run);
}

/* ---- how inputs are changed ---- */

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A word, or a part of one, becomes a number that overflows sums, the value of another word, or a number near
 * its old value. */
static void change_word(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const uint64_t breaking[] = {
        0,          1,          7,          255,        UINT32_MAX, UINT64_MAX, UINT64_MAX - 7,
        1ull << 63, 1ull << 52, 1ull << 32, 1ull << 31, 1ull << 20, 4096};
    static const size_t widths[] = {1, 2, 4, 8, 8};
    const size_t width = widths[next(state) % 5];
    const size_t at = (size_t)(next(state) % (size - 8)) & ~(width - 1);
    const size_t other = (size_t)(next(state) % (size - 8)) & ~(width - 1);
    uint64_t word;

    memcpy(&word, bytes + at, sizeof(word));
    switch (next(state) % 4) {
    case 0:
        word = breaking[next(state) % (sizeof(breaking) / sizeof(breaking[0]))];
        break;
    case 1:
        memcpy(&word, bytes + other, sizeof(word));
        break;
    case 2:
        word += next(state) % 17 - 8;
        break;
    default:
        word ^= 1ull << next(state) % (8 * width);
        break;
    }
    memcpy(bytes + at, &word, width);
}

/* Records must stay where they are, so no bytes are inserted or removed: that would move everything after
 * them. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    uint64_t state = 0x9E3779B97F4A7C15ull ^ (uint64_t)seed << 1;
    unsigned changes;

    if (size < 64)
        return size < most ? size : most;
    (void)next(&state);
    changes = 1u << next(&state) % 6;
    bytes[0] =
        (uint8_t)(next(&state) % 4 | (next(&state) % 8 == 0 ? 4 : 0)); /* by_path takes longest */
    for (unsigned i = 0; i < changes; i++)
        change_word(bytes + 1, size - 1, &state);
    if (next(&state) % 64 == 0)
        size = 64 + (size_t)(next(&state) % (size - 63)); /* a file that is cut short */
    return size < most ? size : most;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool begun;
    const uint8_t order = size > 0 ? bytes[0] : 0;

    if (!begun)
        (void)atexit(remove_directory);
    begun = true;
    if (size < 1)
        return 0;
    put_files(bytes + 1, size - 1);
    judge(directory(), order & 1);
    if (order & 2)
        watch(directory());
    if (order & 4)
        by_path(directory());
    remove_files();
    return 0;
}
