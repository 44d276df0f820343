/* test_writer.c - a ledger is made, filled, and refused without harm to the program. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "build_ledger.h"
#include "ledger/model.h"
#include "ledger/reader.h"
#include "ledger/table.h"
#include "test.h"

static const struct ledger_identity identity = {.role = ROLE_PROCESS, .pid = 1};

TEST(writer_makes_a_private_ledger_and_never_over_another)
{
    struct ledger ledger, second;
    struct stat info;
    struct why why = {""};

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    CHECK_EQ(stat(ledger.path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0600);
    CHECK_EQ((uint64_t)info.st_size, ledger.head->file_size);
    CHECK(info.st_size < 64 << 20);
    CHECK(info.st_blocks * 512 < 4 << 20); /* an ordinary run begins small */
    CHECK_EQ(ledger_create(&second, test_directory(), "1.0.tare", &identity, &why), ERR_IO);
    CHECK_CONTAINS(why.text, "File exists");
    CHECK_EQ(access(ledger.path, F_OK), 0);
    ledger_close(&ledger);
    ledger_close(&ledger); /* twice is once */
}

TEST(writer_leaves_nothing_behind_when_it_fails)
{
    const struct rlimit small = {1 << 20, RLIM_INFINITY};
    struct ledger ledger;
    struct why why = {""};
    char path[128];

    CHECK_EQ(ledger_create(&ledger, "/nonexistent", "1.0.tare", &identity, &why), ERR_IO);
    CHECK_CONTAINS(why.text, "No such file");
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    CHECK_EQ(ledger_create(&ledger, test_directory(), "1.0.tare", &identity, &why), ERR_IO);
    CHECK_CONTAINS(why.text, "ulimit -f"); /* and no SIGXFSZ */
    (void)snprintf(path, sizeof(path), "%s/1.0.tare", test_directory());
    CHECK_EQ(access(path, F_OK), -1);
}

TEST(writer_is_refused_when_the_address_space_is_too_small)
{
    struct rlimit small = {0, RLIM_INFINITY};
    struct ledger ledger;
    struct why why = {""};

    if (test_is_sanitized())
        return; /* whose shadow is larger than any limit */
    small.rlim_cur = 1 << 20; /* less than there is */
    CHECK_EQ(setrlimit(RLIMIT_AS, &small), 0);
    CHECK_EQ(ledger_create(&ledger, test_directory(), "1.0.tare", &identity, &why), ERR_IO);
    CHECK_CONTAINS(why.text, "cannot map");
    CHECK(!ledger.head);
}

TEST(writer_cuts_long_texts_and_counts_those_that_do_not_fit)
{
    static char text[5000];
    struct ledger ledger;
    struct reader reader;
    struct why why = {""};
    const struct lost_record *lost;
    size_t length = 0;
    uint32_t id, last = 1;

    memset(text, 'x', sizeof(text));
    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    id = ledger_string(&ledger, text, sizeof(text));
    CHECK_EQ(reader_init(&reader, build_view(&ledger), (size_t)ledger.size, &why), 0);
    CHECK(reader_string(&reader, id, &length));
    CHECK_EQ(length, 4000);
    CHECK(ledger_string(&ledger, "", 0) > 0);
    while (last)
        last = ledger_string(&ledger, text, sizeof(text));
    lost = ledger_records(&ledger, SECTION_lost);
    CHECK_EQ(lost[LOST_strings_full].count, 1);
    CHECK_EQ(lost[LOST_space_refused].count, 0); /* full by design, not by a full disk */
    ledger_close(&ledger);
}

TEST(writer_takes_no_room_from_a_file_that_was_replaced)
{
    struct ledger ledger;
    const struct lost_record *lost;
    int fd;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    CHECK_EQ(unlink(ledger.path), 0);
    fd = open(ledger.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK(!ledger_take(&ledger, SECTION_deaths, 1));
    lost = ledger_records(&ledger, SECTION_lost);
    CHECK_EQ(lost[LOST_space_refused].count, 1);
    (void)close(fd);
    ledger_close(&ledger);
}

TEST(writer_keeps_errno)
{
    struct ledger ledger;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    errno = 123;
    CHECK(ledger_take(&ledger, SECTION_deaths, 1));
    CHECK_EQ(unlink(ledger.path), 0);
    errno = 124;
    CHECK(!ledger_take(&ledger, SECTION_steps, 20000));
    CHECK_EQ(errno, 124);
    ledger_close(&ledger);
}

/* ---- a full disk ---- */

/* Writes everything it can into a ledger on a disk of 3 MB; SIGBUS would end it. */
static void fill(const char *directory)
{
    struct ledger ledger;
    struct why why = {""};
    const struct lost_record *lost;
    struct note_record note = {0};

    if (ledger_create(&ledger, directory, "1.0.tare", &identity, &why) != 0)
        test_fail(__FILE__, __LINE__, "%s", why.text);
    for (unsigned n = 1; n < LEDGER_SECTIONS_MAX; n++) {
        const struct section_entry *entry = ledger_entry(&ledger, (enum section)n);
        uint64_t want = entry->taken;

        while (want < entry->capacity && ledger_take(&ledger, (enum section)n, want + 1))
            want = entry->taken;
        if (n != SECTION_lost)
            memset(ledger_records(&ledger, (enum section)n), 0x55,
                   (size_t)(entry->taken * entry->record_size));
    }
    lost = ledger_records(&ledger, SECTION_lost);
    CHECK(lost[LOST_space_refused].count > 0);
    while (ledger_append(&ledger, SECTION_notes, &note))
        ;
    ledger_close(&ledger);
}

TEST(writer_never_touches_room_a_full_disk_refused)
{
    const char *directory = test_directory();
    int status = 0;
    pid_t child;

    if (mount("tare-test", directory, "tmpfs", MS_NOSUID | MS_NODEV, "size=3m,mode=700") != 0)
        test_skip("no tmpfs can be mounted here (not root)");
    child = fork();
    if (child == 0) {
        fill(directory);
        (void)fflush(stdout);
        _exit(0);
    }
    (void)waitpid(child, &status, 0);
    (void)umount2(directory, MNT_DETACH);
    CHECK_EQ(status, 0);
}

/* ---- threads ---- */

#define THREADS 4
#define EACH    400

static struct ledger shared;

static void *append_many(void *ids)
{
    for (uint32_t i = 0; i < EACH; i++) {
        const struct note_record note = {.time = i, .ordinal = i, .text = i};

        ((uint32_t *)ids)[i] = ledger_append(&shared, SECTION_notes, &note);
        (void)table_grow(
            &shared, SECTION_live, SECTION_blocks,
            __atomic_load_n(&ledger_entry(&shared, SECTION_live)->used, __ATOMIC_ACQUIRE));
    }
    return NULL;
}

TEST(writer_gives_every_thread_its_own_records)
{
    static uint32_t ids[THREADS][EACH];
    static bool seen[THREADS * EACH + 1];
    pthread_t threads[THREADS];

    build_ledger(&shared, "1.0.tare", ROLE_PROCESS);
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, append_many, ids[t]), 0);
    for (int t = 0; t < THREADS; t++)
        (void)pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < EACH; i++) {
            CHECK(ids[t][i] >= 1 && ids[t][i] <= THREADS * EACH && !seen[ids[t][i]]);
            seen[ids[t][i]] = true;
        }
    CHECK_EQ(ledger_entry(&shared, SECTION_live)->used,
             ledger_entry(&shared, SECTION_live)->capacity);
    CHECK_EQ(ledger_entry(&shared, SECTION_blocks)->used,
             ledger_entry(&shared, SECTION_live)->used);
    ledger_close(&shared);
}

/* A holder that died: the first to meet it waits a while, the others not at all. */
TEST(writer_does_not_wait_again_for_a_holder_that_is_gone)
{
    const struct note_record note = {0};
    struct timespec begin, end;

    build_ledger(&shared, "1.0.tare", ROLE_PROCESS);
    shared.appending = 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(ledger_append(&shared, SECTION_notes, &note), 0);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK(end.tv_sec - begin.tv_sec <= 2);
    shared.appending = 0; /* it was alive after all, and lets go */
    CHECK_EQ(ledger_append(&shared, SECTION_notes, &note), 1);
    ledger_close(&shared);
}

/* malloc is no cancellation point, so nothing that it may call is one. */
static void *take_while_cancelled(void *ok)
{
    (void)pthread_cancel(pthread_self());
    *(bool *)ok = ledger_take(&shared, SECTION_deaths, 1);
    pthread_testcancel();
    return ok; /* not reached: it is cancelled here and not before */
}

TEST(writer_is_no_cancellation_point)
{
    pthread_t thread;
    void *result = NULL;
    bool ok = false;

    build_ledger(&shared, "1.0.tare", ROLE_PROCESS);
    CHECK_EQ(pthread_create(&thread, NULL, take_while_cancelled, &ok), 0);
    CHECK_EQ(pthread_join(thread, &result), 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(ok);
    ledger_close(&shared);
}

/* ---- tables and classes ---- */

TEST(table_segments_cover_every_slot_once)
{
    uint64_t start = 0, size = 512, end = 0;

    for (int i = 0; i < 8; i++, table_next(&start, &size)) {
        CHECK_EQ(start, end);
        CHECK_EQ(start + size, 512u << i);
        for (uint64_t key = 1; key < 1000; key++) {
            const uint64_t at = table_window(table_hash(key), start, size);

            CHECK(at >= start && at + TABLE_WINDOW <= start + size);
        }
        end = start + size;
    }
}

TEST(table_hash_spreads_addresses)
{
    static unsigned load[64];
    unsigned most = 0;

    for (uint64_t i = 0; i < 64 * 100; i++)
        load[table_window(table_hash(0x7f0000000000 + i * 4096), 0, 512) / TABLE_WINDOW]++;
    for (int i = 0; i < 64; i++)
        most = load[i] > most ? load[i] : most;
    CHECK(most < 160); /* 100 on average */
}

TEST(table_grows_until_it_is_full)
{
    struct ledger ledger;
    const struct section_entry *live, *blocks;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    live = ledger_entry(&ledger, SECTION_live);
    blocks = ledger_entry(&ledger, SECTION_blocks);
    while (table_grow(&ledger, SECTION_live, SECTION_blocks, live->used))
        CHECK(live->taken >= live->used && blocks->taken >= blocks->used);
    CHECK_EQ(live->used, live->capacity);
    CHECK_EQ(blocks->used, live->capacity);
    CHECK(table_grow(&ledger, SECTION_live, SECTION_blocks, 2048)); /* a thread that comes late */
    CHECK_EQ(blocks->used, live->capacity);
    ledger_close(&ledger);
}

TEST(classes_hold_every_size_and_their_floors_agree)
{
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        CHECK_EQ(ledger_class(ledger_class_floor(c)), c);
        CHECK(c == 0 || ledger_class(ledger_class_floor(c) - 1) == c - 1);
    }
    CHECK_EQ(ledger_class(0), 0);
    CHECK_EQ(ledger_class(UINT64_MAX), LEDGER_CLASSES - 1);
}

TEST(writer_makes_a_small_ledger_that_reads_like_any_other)
{
    const struct ledger_identity small = {
        .role = ROLE_PROCESS, .pid = 7, .small = true, .program = "/bin/small"};
    static struct ledger ledger;
    struct model *model = NULL;
    char path[256];
    struct stat info;
    struct why why;

    CHECK_EQ(ledger_create(&ledger, test_directory(), "7.0.tare", &small, &why), 0);
    CHECK_EQ(ledger_entry(&ledger, SECTION_stacks)->capacity, 256 * 1024 / LEDGER_SMALL_SHARE);
    CHECK_EQ(ledger_entry(&ledger, SECTION_stacks)->used, 2048 / LEDGER_SMALL_SHARE);
    CHECK_EQ(ledger_entry(&ledger, SECTION_steps)->capacity, 2048 + 20 * 1024);
    CHECK(table_grow(&ledger, SECTION_live, SECTION_blocks, 2048 / LEDGER_SMALL_SHARE));
    ledger_note(&ledger, 1, "a note");
    ledger_close(&ledger);
    (void)snprintf(path, sizeof(path), "%s/7.0.tare", test_directory());
    CHECK_EQ(stat(path, &info), 0);
    CHECK(info.st_blocks * 512 < 300 * 1024);
    CHECK_EQ(model_load_file(&model, path, &why), 0);
    CHECK(strcmp(model->program, "/bin/small") == 0 && model->note_count == 1);
    model_free(model);
}
