/* test_record_sources.c - a run records its source files when it ends, and a report may show them. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "build_ledger.h"
#include "doctor/source/record_sources.h"
#include "doctor/source/source.h"
#include "ledger/model.h"
#include "test.h"

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static unsigned at;
    char *path = paths[at++ % 4];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", test_directory(), name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");

    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A process with one Python function of this file. */
static void write_process(const char *file)
{
    struct ledger ledger = {0};
    struct code_record code = {.first_line = 1};
    const char *path = path_of(file);

    build_ledger(&ledger, "10.0.tare", ROLE_PROCESS);
    code.file = ledger_string(&ledger, path, strlen(path));
    code.name = ledger_string(&ledger, "main", 4);
    CHECK_EQ(ledger_append(&ledger, SECTION_code, &code), 1);
    ledger_close(&ledger);
}

/* A program of two files, beside a file that it does not use. */
static void make_run(struct ledger *own)
{
    write_file("main.py", "import helper\nx = 1\n");
    write_file("helper.py", "y = 2\n");
    write_file("other.py", "z = 3\n");
    write_process("main.py");
    build_ledger(own, LEDGER_RUN_NAME, ROLE_RUN);
}

static bool is_recorded(const struct model *own, const char *name)
{
    for (size_t i = 0; i < own->source_count; i++)
        if (strcmp(own->source_paths[i], path_of(name)) == 0)
            return true;
    return false;
}

TEST(sources_of_a_run_are_recorded_with_what_they_import)
{
    struct ledger ledger = {0};
    struct why why = {""};
    struct run run;
    struct arena *arena = arena_new();
    struct sources *sources;

    make_run(&ledger);
    CHECK_EQ(record_sources(test_directory(), &ledger, &why), 0);
    ledger_close(&ledger);
    CHECK_EQ(run_load(&run, test_directory(), &why), 0);
    CHECK_EQ(run.own->source_count, 2);
    CHECK(is_recorded(run.own, "main.py") && is_recorded(run.own, "helper.py"));
    CHECK(!is_recorded(run.own, "other.py"));
    run.going_on = run.started_here = false; /* a reader elsewhere, later */
    sources = sources_new(&run, arena);
    CHECK_TEXT(sources_line(sources, path_of("helper.py"), 1), "y = 2");
    CHECK(sources_line(sources, path_of("other.py"), 1) == NULL);
    sources_free(sources);
    run_free(&run);
    arena_free(arena);
}

TEST(sources_of_a_run_are_recorded_or_it_says_why_not)
{
    bool whole = false;

    for (unsigned long n = 1; !whole; n++) {
        struct ledger ledger = {0};
        struct why why = {""};
        int err;

        CHECK(n < 10000);
        (void)unlink(path_of("10.0.tare"));
        (void)unlink(path_of(LEDGER_RUN_NAME));
        make_run(&ledger);
        mem_fail_at(n);
        err = record_sources(test_directory(), &ledger, &why);
        whole = test_still_armed(n);
        CHECK(err == 0 || why.text[0]);
        ledger_close(&ledger);
    }
}
