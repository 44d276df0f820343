/* test_original.c - lines of generated scripts as lines of their sources. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/source/as_run.h"
#include "doctor/source/original.h"
#include "doctor/source/source.h"
#include "ledger/layout_scripts.h"
#include "ledger/model.h"
#include "test.h"

/* Line 1 of the script is line 1 of the source, line 2 is line 5. */
#define MAPPINGS "AAAA;AAIA"
#define MAP(source) "{\"version\":3,\"sources\":[\"" source "\"],\"mappings\":\"" MAPPINGS "\"}"

/* MAP("a.ts") with the text of a.ts in it, in base64. */
#define INLINE                                                                              \
    "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXSwic291cmNlc0NvbnRlbnQiOlsib25lXG50d28iXSwib" \
    "WFwcGluZ3MiOiJBQUFBO0FBSUEifQ=="

static struct model own = {.head = {.start_real = UINT64_MAX}};
static const struct run trusted = {.own = &own, .started_here = true};

struct work {
    struct arena *arena;
    struct sources *sources;
    struct originals *originals;
};

static struct work begin(void)
{
    struct work work = {.arena = arena_new()};

    work.sources = sources_new(&trusted, work.arena);
    work.originals = originals_new(work.sources, work.arena);
    CHECK(work.sources && work.originals);
    return work;
}

static void end(struct work *work)
{
    originals_free(work->originals);
    sources_free(work->sources);
    arena_free(work->arena);
}

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

/* "FILE:LINE" below the test's directory, for a line of a script there; "-": it stays as it is. */
static const char *original(struct work *work, const char *script, unsigned line)
{
    static char out[512];
    const char *file = path_of(script);
    const size_t root = strlen(test_directory()) + 1;
    const char *before = file;
    const unsigned was = line;

    if (!originals_find(work->originals, &file, &line, 1)) {
        CHECK(file == before && line == was);
        return "-";
    }
    (void)snprintf(out, sizeof(out), "%s:%u", strlen(file) > root ? file + root : file, line);
    return out;
}

TEST(original_is_found_through_a_map_beside_the_script)
{
    struct work work = begin();

    CHECK_EQ(mkdir(path_of("dist"), 0700), 0);
    write_file("dist/app.js", "one();\ntwo();\n//# sourceMappingURL=app%20one.js.map?v=2\n");
    write_file("dist/app one.js.map", MAP("../src/./app.ts"));
    CHECK(originals_note(work.originals) == NULL);
    CHECK_TEXT(original(&work, "dist/app.js", 1), "src/app.ts:1");
    CHECK_TEXT(original(&work, "dist/app.js", 2), "src/app.ts:5");
    CHECK_TEXT(original(&work, "dist/app.js", 3), "-");
    CHECK_CONTAINS(originals_note(work.originals), "dist/app.js.");
    end(&work);
}

TEST(original_takes_the_text_of_a_missing_source_from_the_map)
{
    struct work work = begin();

    write_file("a.js", "one();\ntwo();\n//# sourceMappingURL=data:application/json;base64," INLINE "\n");
    CHECK_TEXT(original(&work, "a.js", 2), "a.ts:5");
    CHECK_TEXT(sources_line(work.sources, path_of("a.ts"), 2), "two");
    end(&work);
}

/* Bundlers leave the folder of the project out of their names. */
TEST(original_of_a_bundle_is_found_above_the_script)
{
    struct work work = begin();

    CHECK_EQ(mkdir(path_of("out"), 0700), 0);
    CHECK_EQ(mkdir(path_of("lib"), 0700), 0);
    write_file("lib/a.ts", "x\n");
    write_file("out/b.js", "one();\n//# sourceMappingURL=b.js.map\n");
    write_file("out/b.js.map", MAP("webpack://shop/./lib/a.ts?1f"));
    CHECK_TEXT(original(&work, "out/b.js", 1), "lib/a.ts:1");
    end(&work);
}

TEST(original_prefers_the_script_as_it_was_run)
{
    struct script_text_record record = {.path_bytes = 0, .text_bytes = 0};
    static const char text[] = "x\n//# sourceMappingURL=run.map\n";
    struct work work = begin();
    struct as_run *as_run;
    FILE *file = fopen(path_of("7.1" SCRIPTS_SUFFIX), "w");
    const char *script = path_of("main.ts");

    memcpy(record.magic, SCRIPTS_MAGIC, sizeof(record.magic));
    record.path_bytes = (uint32_t)strlen(script);
    record.text_bytes = sizeof(text) - 1;
    CHECK(file && fwrite(&record, sizeof(record), 1, file) == 1);
    CHECK(fprintf(file, "%s%s", script, text) > 0 && fclose(file) == 0);
    write_file("main.ts", "no map here\n");
    write_file("run.map", MAP("whole.ts"));
    as_run = as_run_new(test_directory(), 7, 1);
    originals_use(work.originals, as_run);
    CHECK_TEXT(original(&work, "main.ts", 1), "whole.ts:1");
    end(&work);
    as_run_free(as_run);
}

TEST(original_says_why_a_map_is_not_used)
{
    struct work work = begin();

    write_file("none.js", "x\n");
    CHECK_TEXT(original(&work, "none.js", 1), "-");
    CHECK(originals_note(work.originals) == NULL);
    write_file("lost.js", "x\n//# sourceMappingURL=lost.js.map\n");
    CHECK_TEXT(original(&work, "lost.js", 1), "-");
    CHECK_CONTAINS(originals_note(work.originals), "lost.js names a source map that cannot be read");
    end(&work);

    work = begin();
    write_file("far.js", "x\n//# sourceMappingURL=https://example.com/far.js.map\n");
    CHECK_TEXT(original(&work, "far.js", 1), "-"); /* nothing is fetched */
    CHECK_CONTAINS(originals_note(work.originals), "far.js names a source map that cannot be read");
    end(&work);

    work = begin();
    write_file("bad.js", "x\n//# sourceMappingURL=bad.js.map\n");
    write_file("bad.js.map", "{\"version\":3,");
    CHECK_TEXT(original(&work, "bad.js", 1), "-");
    CHECK_CONTAINS(originals_note(work.originals), "bad.js cannot be used: byte 13 is not valid JSON.");
    end(&work);
}

TEST(original_survives_running_out_of_memory)
{
    bool whole = false;

    write_file("a.js", "one();\ntwo();\n//# sourceMappingURL=data:application/json;base64," INLINE "\n");
    for (unsigned long n = 1; !whole; n++) {
        struct work work = begin();
        const char *file = path_of("a.js");
        unsigned line = 2;
        bool found;

        CHECK(n < 1000);
        mem_fail_at(n);
        found = originals_find(work.originals, &file, &line, 1);
        whole = test_still_armed(n);
        CHECK(found ? line == 5 : line == 2);
        CHECK(found || !whole);
        end(&work);
    }
}
