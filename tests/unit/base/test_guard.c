/* test_guard.c - files that are cut short while they are mapped, and files of other users. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/filemap.h"
#include "base/guard.h"
#include "base/owned.h"
#include "build_ledger.h"
#include "run/rundir/rundir.h"
#include "ledger/mailbox.h"
#include "ledger/model.h"
#include "snapshot/snapshot.h"
#include "test.h"

#define PAGES 16
#define PAGE 4096
#define STRANGER 65534

static int within(void)
{
    return open(test_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void write_file(const char *name, size_t size)
{
    static char bytes[PAGES * PAGE];
    const int directory = within();
    const int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    memset(bytes, 'x', sizeof(bytes));
    CHECK_EQ(write(fd, bytes, size), (ssize_t)size);
    (void)close(fd);
    (void)close(directory);
}

static void cut(const char *name, off_t size)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
    CHECK_EQ(truncate(path, size), 0);
}

TEST(guard_reads_zeros_where_a_mapped_file_was_cut)
{
    const int directory = within();
    struct filemap map;
    struct why why;

    guard_install();
    write_file("file", PAGES * PAGE);
    CHECK_EQ(filemap_open(&map, directory, "file", &why), 0);
    CHECK_EQ(map.bytes[PAGES * PAGE - 1], 'x');
    CHECK(!filemap_was_cut(&map));
    cut("file", 2 * PAGE);
    CHECK_EQ(map.bytes[9 * PAGE + 7], 0);
    CHECK_EQ(map.bytes[5 * PAGE], 0);
    CHECK_EQ(map.bytes[PAGES * PAGE - 1], 0);
    CHECK_EQ(map.bytes[2 * PAGE - 1], 'x');
    CHECK(filemap_was_cut(&map));
    cut("file", 0);
    CHECK_EQ(map.bytes[0], 0);
    filemap_close(&map);
    (void)close(directory);
}

/* How a child ends that looks beyond the end of a file that nobody guards, or is sent SIGBUS. */
static int end_of_child(bool send)
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        const int directory = within();
        const int fd = openat(directory, "file", O_RDONLY | O_CLOEXEC);
        const volatile char *bytes = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);

        guard_install();
        cut("file", 0);
        if (send)
            (void)kill(getpid(), SIGBUS);
        _exit(bytes[0]);
    }
    (void)waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(guard_leaves_every_other_bus_error_as_it_is)
{
    write_file("file", PAGES * PAGE);
    CHECK_EQ(end_of_child(false), SIGBUS);
    write_file("file", PAGES * PAGE);
    CHECK_EQ(end_of_child(true), SIGBUS);
}

TEST(guard_lets_a_cut_ledger_be_read_as_a_cut_one)
{
    static struct ledger ledger;
    const int directory = within();
    struct model *model = NULL;
    struct filemap map;
    struct why why;

    guard_install();
    build_small_process(&ledger, "1.0.tare");
    ledger_close(&ledger);
    CHECK_EQ(filemap_open(&map, directory, "1.0.tare", &why), 0);
    cut("1.0.tare", LEDGER_HEADER_SIZE + PAGE);
    CHECK_EQ(model_load_map(&model, &map, &why), 0);
    CHECK(model && model->cut);
    model_free(model);
    filemap_close(&map);
    (void)close(directory);
}

/* ---- whose it is ---- */

static void give_away(const char *name)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s%s%s", test_directory(), name[0] ? "/" : "", name);
    if (chown(path, STRANGER, STRANGER) != 0)
        test_skip("files can be given away by root alone");
}

TEST(owned_refuses_pages_of_another_user)
{
    const struct bell first = {.doctor = 1};
    const int directory = within();
    struct why why;

    bell_close(bell_create(directory, &first, &why));
    mailbox_close(mailbox_create(directory, "1.0.mail", 1, &why));
    give_away("bell");
    give_away("1.0.mail");
    CHECK(!bell_open(directory, &why));
    CHECK(!mailbox_open(directory, "1.0.mail", &why));
    CHECK_CONTAINS(why.text, "not a file of the user");
    (void)close(directory);
}

TEST(owned_refuses_a_page_of_another_size)
{
    const struct bell first = {.doctor = 1};
    const int directory = within();
    struct why why;

    bell_close(bell_create(directory, &first, &why));
    cut("bell", 2 * MAILBOX_SIZE);
    CHECK(!bell_open(directory, &why));
    (void)close(directory);
}

TEST(owned_makes_no_ledger_where_others_may_write)
{
    const struct ledger_identity identity = {.role = ROLE_PROCESS, .pid = 1};
    static struct ledger ledger;
    struct why why;

    CHECK_EQ(chmod(test_directory(), 0770), 0);
    CHECK_EQ(ledger_create(&ledger, test_directory(), "1.0.tare", &identity, &why), ERR_IO);
    CHECK_EQ(owned_open(test_directory()), -1);
    CHECK_EQ(chmod(test_directory(), 0700), 0);
    give_away("");
    CHECK_EQ(ledger_create(&ledger, test_directory(), "1.0.tare", &identity, &why), ERR_IO);
}

TEST(snapshot_of_another_user_is_not_read)
{
    struct snapshot *snapshot = NULL;
    struct why why;

    write_file("1.0.heapsnapshot", 100);
    CHECK(snapshot_load_file(&snapshot, test_directory(), "1.0.heapsnapshot", &why) < 0);
    CHECK_CONTAINS(why.text, "not a heap snapshot of V8");
    give_away("1.0.heapsnapshot");
    CHECK(snapshot_load_file(&snapshot, test_directory(), "1.0.heapsnapshot", &why) < 0);
    CHECK_CONTAINS(why.text, "whose run this is");
}
