/* test_source.c - whose lines are shown: files that the run vouches for, and no others. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/intern.h"
#include "doctor/source/python_imports.h"
#include "doctor/source/source.h"
#include "ledger/model.h"
#include "ledger/writer.h"
#include "test.h"

#define TEXT "secret = 1\n"

static const char *path_of(const char *name)
{
    static char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
    return path;
}

static const char *write_text(const char *name, const char *text)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "w");

    CHECK(file != NULL);
    (void)fputs(text, file);
    (void)fclose(file);
    return path;
}

/* The line that a run with one record shows; *changed: the file is there, and is another. */
static const char *shown(const struct source_record *record, const char *path, bool *changed)
{
    static char line[64];
    struct source_record records[1] = {*record};
    const char *paths[1] = {path};
    struct model own = {.sources = records, .source_paths = paths, .source_count = 1};
    const struct run run = {.own = &own};
    struct arena *arena = arena_new();
    struct sources *sources = sources_new(&run, arena);
    const char *text = sources_line(sources, path, 1);

    *changed = sources_changed(sources, path);
    (void)snprintf(line, sizeof(line), "%s", text ? text : "");
    sources_free(sources);
    arena_free(arena);
    return text ? line : NULL;
}

static struct source_record record_for(const char *text)
{
    return (struct source_record){.size = strlen(text), .hash = intern_hash(text, strlen(text))};
}

TEST(source_is_shown_only_with_its_record)
{
    struct arena *arena = arena_new();
    const char *path = write_text("a.py", TEXT);
    struct model own = {.head = {.start_real = UINT64_MAX}};
    const struct run run = {.own = &own};
    struct sources *none = sources_new(NULL, arena), *old = sources_new(&run, arena);
    struct source_record record = record_for(TEXT);
    bool changed;

    CHECK(sources_line(none, path, 1) == NULL && !sources_changed(none, path));
    CHECK(sources_line(old, path, 1) == NULL && !sources_changed(old, path));
    sources_script(old, path);
    CHECK(sources_line(old, path, 1) == NULL);
    CHECK_TEXT(shown(&record, path, &changed), "secret = 1");
    CHECK(!changed);
    sources_free(none);
    sources_free(old);
    arena_free(arena);
}

TEST(source_that_is_not_the_recorded_one_is_changed)
{
    const char *path = write_text("a.py", TEXT);
    struct source_record record = record_for(TEXT);
    bool changed;

    record.hash++;
    CHECK(shown(&record, path, &changed) == NULL);
    CHECK(changed);
    record = record_for(TEXT);
    record.size++;
    CHECK(shown(&record, path, &changed) == NULL);
    CHECK(changed);
    record = record_for(TEXT);
    record.flags = SOURCE_CHANGED;
    CHECK(shown(&record, path, &changed) == NULL);
    CHECK(changed);
    (void)unlink(path);
    CHECK(shown(&record, path, &changed) == NULL);
    CHECK(!changed);
}

TEST(source_has_a_name_of_source_or_was_run)
{
    const char *path = write_text("shadow", TEXT);
    struct source_record record = record_for(TEXT);
    bool changed;

    CHECK(shown(&record, path, &changed) == NULL);
    CHECK(!changed);
    record.flags = SOURCE_SCRIPT;
    CHECK_TEXT(shown(&record, path, &changed), "secret = 1");
    CHECK(chdir(test_directory()) == 0);
    CHECK(shown(&record, "shadow", &changed) == NULL); /* relative to wherever the reader is */
}

TEST(source_that_is_a_pipe_holds_nobody_up)
{
    const char *path = path_of("pipe.py");
    struct source_record record = record_for("");
    bool changed;

    CHECK_EQ(mkfifo(path, 0600), 0);
    CHECK(shown(&record, path, &changed) == NULL);
    CHECK(!changed);
}

/* ---- the session that starts a program ---- */

static struct model *recorded(const char *path, bool script, uint64_t began)
{
    const struct ledger_identity identity = {
        .role = ROLE_RUN, .pid = 1, .program = "", .command = ""};
    struct ledger ledger = {0};
    struct model own = {.head = {.start_real = began}}, *loaded = NULL;
    const struct run run = {.own = &own};
    struct arena *arena = arena_new();
    struct sources *sources;
    struct why why = {""};

    (void)unlink(path_of(LEDGER_RUN_NAME));
    CHECK_EQ(ledger_create(&ledger, test_directory(), LEDGER_RUN_NAME, &identity, &why), 0);
    sources = sources_record(&run, &ledger, arena);
    if (script)
        sources_script(sources, path);
    (void)sources_line(sources, path, 1);
    (void)sources_line(sources, path, 2);
    sources_free(sources);
    arena_free(arena);
    ledger_close(&ledger);
    CHECK_EQ(model_load_file(&loaded, path_of(LEDGER_RUN_NAME), &why), 0);
    return loaded;
}

TEST(sources_are_recorded_once_with_size_times_and_content)
{
    char path[256];
    struct model *own;
    struct stat info;

    (void)snprintf(path, sizeof(path), "%s", write_text("a.py", TEXT));
    CHECK_EQ(stat(path, &info), 0);
    own = recorded(path, false, UINT64_MAX);
    CHECK_EQ(own->source_count, 1);
    CHECK_TEXT(own->source_paths[0], path);
    CHECK_EQ(own->sources[0].size, strlen(TEXT));
    CHECK_EQ(own->sources[0].flags, 0);
    CHECK(own->sources[0].hash == intern_hash(TEXT, strlen(TEXT)));
    CHECK_EQ(own->sources[0].modified / 1000000000u, (uint64_t)info.st_mtim.tv_sec);
    CHECK_EQ(own->sources[0].changed / 1000000000u, (uint64_t)info.st_ctim.tv_sec);
    model_free(own);
}

TEST(sources_changed_after_the_run_began_are_recorded_as_changed)
{
    char path[256];
    struct model *own;

    (void)snprintf(path, sizeof(path), "%s", write_text("a.py", TEXT));
    own = recorded(path, false, 1);
    CHECK_EQ(own->source_count, 1);
    CHECK_EQ(own->sources[0].flags, SOURCE_CHANGED);
    CHECK_EQ(own->sources[0].hash, 0);
    model_free(own);
}

TEST(sources_record_a_script_of_any_name_and_no_other_file)
{
    char path[256];
    struct model *own;

    (void)snprintf(path, sizeof(path), "%s", write_text("train", TEXT));
    own = recorded(path, false, UINT64_MAX);
    CHECK_EQ(own->source_count, 0);
    model_free(own);
    own = recorded(path, true, UINT64_MAX);
    CHECK_EQ(own->source_count, 1);
    CHECK_EQ(own->sources[0].flags, SOURCE_SCRIPT);
    model_free(own);
}

static const char *write_below(const char *folder, const char *name, const char *text)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    (void)mkdir(path_of(folder), 0700);
    return write_text(path, text);
}

struct noted {
    const char *path;
    bool *found;
};

static void note_path(const char *path, void *with)
{
    const struct noted *noted = with;

    *noted->found |= strcmp(path, noted->path) == 0;
}

/* Is this file at hand once the imports of a.py were followed? */
static bool is_followed(const char *name)
{
    struct model own = {.head = {.start_real = UINT64_MAX}};
    const struct run run = {.own = &own, .started_here = true};
    struct arena *arena = arena_new();
    struct sources *sources = sources_new(&run, arena);
    bool found = false;

    sources_script(sources, path_of("a.py"));
    python_imports_follow(sources);
    sources_each(sources, note_path, &(struct noted){path_of(name), &found});
    sources_free(sources);
    arena_free(arena);
    return found;
}

TEST(imports_of_python_files_are_followed)
{
    (void)write_text("a.py", "import helper as h, other\n  from pkg import (one,\n    two)  # x\n"
                             "from pkg.deep import *\nimport os\nimport\nfrom\nfrom . import");
    (void)write_text("helper.py", "import late\n");
    (void)write_text("other.py", "");
    (void)write_text("late.py", "x = 1\n");
    (void)write_text("unused.py", "x = 1\n");
    (void)write_below("pkg", "__init__.py", "");
    (void)write_below("pkg", "one.py", "from . import beside\n");
    (void)write_below("pkg", "two.py", "from .beside import x\n");
    (void)write_below("pkg", "deep.py", "");
    (void)write_below("pkg", "beside.py", "x = 1\n");
    CHECK(is_followed("helper.py") && is_followed("other.py") && is_followed("late.py"));
    CHECK(is_followed("pkg/__init__.py") && is_followed("pkg/one.py") && is_followed("pkg/two.py"));
    CHECK(is_followed("pkg/deep.py") && is_followed("pkg/beside.py"));
    CHECK(!is_followed("unused.py"));
}
