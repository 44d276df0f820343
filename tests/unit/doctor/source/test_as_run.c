/* Scripts as they were run: the newest of its name is found, and a file that ends anywhere is read so far. */
#include <stdio.h>

#include "base/text.h"
#include "doctor/source/as_run.h"
#include "ledger/layout_scripts.h"
#include "test.h"

static void put(struct text *out, const char *path, const char *script)
{
    struct script_text_record record = {.path_bytes = (uint32_t)strlen(path),
                                        .text_bytes = (uint32_t)strlen(script)};

    memcpy(record.magic, SCRIPTS_MAGIC, sizeof(record.magic));
    text_add(out, (const char *)&record, sizeof(record));
    text_put(out, path);
    text_put(out, script);
}

static void write_file(const char *directory, const char *bytes, size_t size)
{
    char path[4096];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/7.1%s", directory, SCRIPTS_SUFFIX);
    file = fopen(path, "w");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* The text of `path`, or "-". */
static const char *text_of(const char *directory, const char *path)
{
    static char out[64];
    struct as_run *as_run = as_run_new(directory, 7, 1);
    size_t size;
    const char *text = as_run_text(as_run, path, &size);

    (void)snprintf(out, sizeof(out), "%.*s", text ? (int)size : 1, text ? text : "-");
    as_run_free(as_run);
    return out;
}

TEST(as_run_gives_the_newest_script_of_a_name)
{
    const char *directory = test_directory();
    struct text file = {0};

    CHECK_TEXT(text_of(directory, "/a/main.ts"), "-"); /* no file at all */
    put(&file, "/a/main.ts", "first");
    put(&file, "file:///b/two%20words.mts?x=1", "module");
    put(&file, "/a/main.ts", "second");
    write_file(directory, text_string(&file), file.length);
    CHECK_TEXT(text_of(directory, "/a/main.ts"), "second");
    CHECK_TEXT(text_of(directory, "/b/two words.mts"), "module");
    CHECK_TEXT(text_of(directory, "/a/main"), "-");
    CHECK_TEXT(text_of(NULL, "/a/main.ts"), "-");
    text_free(&file);
}

TEST(as_run_survives_every_bad_ending)
{
    const char *directory = test_directory();
    struct text file = {0}, bad = {0};
    size_t first;

    put(&file, "/a.ts", "one");
    first = file.length;
    put(&file, "/a.ts", "two");
    for (size_t size = 0; size <= file.length; size++) {
        write_file(directory, text_string(&file), size);
        CHECK_TEXT(text_of(directory, "/a.ts"), size < first ? "-" : size < file.length ? "one" : "two");
    }
    for (size_t i = 0; i < sizeof(struct script_text_record); i++) { /* of the second */
        bad.length = 0;
        text_add(&bad, text_string(&file), file.length);
        bad.bytes[first + i] = (char)0xff;
        write_file(directory, text_string(&bad), bad.length);
        CHECK_TEXT(text_of(directory, "/a.ts"), "one");
    }
    text_free(&bad);
    text_free(&file);
}
