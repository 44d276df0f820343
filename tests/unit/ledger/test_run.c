/* test_run.c - a run's directory, with everything that may lie in it. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemap.h"
#include "base/mem.h"
#include "build_ledger.h"
#include "ledger/model.h"
#include "test.h"

static void path_of(char out[256], const char *name)
{
    (void)snprintf(out, 256, "%s/%s", test_directory(), name);
}

static void put_file(const char *name, const char *bytes, size_t size)
{
    char path[256];
    int fd;

    path_of(path, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK_EQ(write(fd, bytes, size), (ssize_t)size);
    (void)close(fd);
}

static void put_link(const char *name, const char *to)
{
    char path[256];

    path_of(path, name);
    CHECK_EQ(symlink(to, path), 0);
}

static void build_run(void)
{
    struct ledger ledger;

    build_small_process(&ledger, "12.1.tare");
    ledger.head->start_mono = 300;
    ledger_close(&ledger);
    build_small_process(&ledger, "9.0.tare");
    ledger.head->start_mono = 200;
    ledger_close(&ledger);
    build_small_run(&ledger, "run.tare");
    ledger_close(&ledger);
}

TEST(run_is_loaded_whole_and_by_start_time)
{
    struct run run;
    struct why why = {""};

    build_run();
    CHECK_EQ(run_load(&run, test_directory(), &why), 0);
    CHECK(run.own && run.own->process_count == 2);
    CHECK_EQ(run.process_count, 2);
    CHECK_EQ(run.processes[0]->head.start_mono, 200);
    CHECK_EQ(run.processes[1]->head.start_mono, 300);
    CHECK_EQ(run.refused_count, 0);
    run_free(&run);
}

TEST(run_refuses_what_it_cannot_read_and_loads_the_rest)
{
    static const char zeros[8192];
    struct ledger wrong;
    struct run run;
    struct why why = {""};
    char fifo[256];

    build_run();
    put_file("3.0.tare", "", 0);
    put_file("4.0.tare", "this is no ledger", 17);
    put_file("6.0.tare", zeros, sizeof(zeros)); /* not begun */
    put_file("notes.txt", "hello", 5);
    put_file("x.0.tare", "", 0);
    put_file("1.0.mail", "", 0);
    put_link("5.0.tare", "9.0.tare");
    build_small_run(&wrong, "7.0.tare");
    ledger_close(&wrong);
    path_of(fifo, "8.0.tare");
    CHECK_EQ(mkfifo(fifo, 0600), 0);
    CHECK_EQ(run_load(&run, test_directory(), &why), 0);
    CHECK_EQ(run.process_count, 2);
    CHECK_EQ(run.unbegun, 1);
    CHECK_EQ(run.refused_count, 5);
    CHECK_CONTAINS(run.refused[0], "3.0.tare: the file is empty");
    CHECK_CONTAINS(run.refused[1], "4.0.tare: not a ledger");
    CHECK_TEXT(run.refused[2], "5.0.tare: a symbolic link is not followed");
    CHECK_CONTAINS(run.refused[3], "7.0.tare: its name does not fit");
    CHECK_TEXT(run.refused[4], "8.0.tare: not a regular file");
    run_free(&run);
}

TEST(run_may_be_one_file)
{
    struct run run;
    struct why why = {""};
    char path[256];

    build_run();
    path_of(path, "9.0.tare");
    CHECK_EQ(run_load(&run, path, &why), 0);
    CHECK(!run.own);
    CHECK_EQ(run.process_count, 1);
    run_free(&run);
    path_of(path, "run.tare");
    CHECK_EQ(run_load(&run, path, &why), 0);
    CHECK(run.own);
    CHECK_EQ(run.process_count, 0);
    run_free(&run);
}

/* Brief or whole: of either, only what came after the time is judged. */
TEST(run_since_counts_for_one_file_and_for_a_directory)
{
    struct why why = {""};
    struct ledger ledger;
    char path[256];

    build_small_process(&ledger, "9.0.tare");
    ledger.head->pid = 9;
    ledger.head->generation = 0;
    ledger_close(&ledger);
    path_of(path, "9.0.tare");
    for (int whole = 0; whole < 2; whole++) {
        struct model *model;
        struct run run;
        uint64_t time;
        size_t before;

        CHECK_EQ(whole ? run_load_brief(&run, path, &why)
                       : run_load_brief(&run, test_directory(), &why), 0);
        CHECK_EQ(run_read(&run, 0, &model, &why), 0);
        before = model->step_count;
        CHECK(before > 1);
        time = model->steps[0].time;
        run_give_back(&run, 0, model);
        run_since(&run, time);
        CHECK_EQ(run_read(&run, 0, &model, &why), 0);
        CHECK_EQ(model->step_count, before - 1);
        run_give_back(&run, 0, model);
        run_free(&run);
    }
}

TEST(run_that_is_none_gets_one_clear_sentence)
{
    struct run run;
    struct why why = {""};
    char path[256];

    CHECK_EQ(run_load(&run, test_directory(), &why), ERR_ABSENT);
    CHECK_CONTAINS(why.text, "no ledger in this directory");
    path_of(path, "absent");
    CHECK_EQ(run_load(&run, path, &why), ERR_ABSENT);
    CHECK_CONTAINS(why.text, "No such file or directory");
    put_file("empty", "", 0);
    path_of(path, "empty");
    CHECK_EQ(run_load(&run, path, &why), ERR_TRUNCATED);
    CHECK_CONTAINS(why.text, "/empty: the file is empty");
    put_link("link", ".");
    path_of(path, "link");
    CHECK_EQ(run_load(&run, path, &why), ERR_IO);
    CHECK_CONTAINS(why.text, "symbolic link is not followed");
    CHECK_EQ(run_load(&run, "/dev/null", &why), ERR_FORMAT);
    CHECK_CONTAINS(why.text, "not a regular file");
}

TEST(run_loads_or_says_no_memory_whichever_request_fails)
{
    int refused = 0;

    build_run();
    put_file("4.0.tare", "this is no ledger", 17);
    for (unsigned long n = 1; n < 80; n++) {
        struct run run;
        struct why why = {""};
        int err;

        mem_fail_at(n);
        err = run_load(&run, test_directory(), &why);
        mem_fail_at(0);
        refused += err == ERR_NOMEM;
        CHECK(err == 0 || (err == ERR_NOMEM && run.process_count == 0));
        run_free(&run);
    }
    CHECK(refused > 30 && refused < 79);
}

TEST(filemap_maps_regular_files_alone)
{
    struct filemap map = {0};
    struct why why = {""};
    char path[256];

    filemap_close(&map);
    put_file("some", "bytes", 5);
    path_of(path, "some");
    CHECK_EQ(filemap_open(&map, AT_FDCWD, path, &why), 0);
    CHECK_EQ(map.size, 5);
    CHECK(memcmp(map.bytes, "bytes", 5) == 0);
    filemap_close(&map);
    CHECK_EQ(filemap_open(&map, AT_FDCWD, test_directory(), &why), ERR_FORMAT);
    filemap_close(&map);
}
