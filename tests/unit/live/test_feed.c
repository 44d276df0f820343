/* test_feed.c - a run is followed through its directory: whole, cut, forged, and asked. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "build_ledger.h"
#include "doctor/ask/peek.h"
#include "ledger/mailbox.h"
#include "ledger/model.h"
#include "live/asks.h"
#include "live/feed.h"
#include "test.h"

#define SECOND 1000000000ull

static struct feed feed;

static void build_run(void)
{
    const struct bell first = {
        .doctor = (uint32_t)getpid(), .run = 5, .heartbeat = mailbox_clock()};
    const int directory = open(test_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct ledger ledger;
    struct why why = {""};

    build_small_process(&ledger, "4711.0.tare");
    ledger_close(&ledger);
    build_small_run(&ledger, LEDGER_RUN_NAME);
    ledger_close(&ledger);
    bell_close(bell_create(directory, &first, &why));
    mailbox_close(mailbox_create(directory, "4711.0.mail", 4711, &why));
    (void)close(directory);
}

/* Waits for the judgement, as a user would. */
static bool judged(void)
{
    for (int i = 0; i < 1000; i++) {
        (void)feed_judge(&feed, mailbox_clock());
        if (feed.judged || feed.trouble.text[0])
            return feed.judged;
        (void)usleep(10000);
    }
    return false;
}

static void change(const char *name, long at, const void *bytes, size_t size)
{
    char path[4200];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
    fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    CHECK_EQ(pwrite(fd, bytes, size, at), (ssize_t)size);
    (void)close(fd);
}

TEST(feed_follows_a_run)
{
    struct why why = {""};

    build_run();
    CHECK_EQ(feed_open(&feed, test_directory(), &why), 0);
    CHECK_EQ(feed.state, FEED_RUNNING);
    CHECK_EQ(feed.doctor, (uint32_t)getpid());
    CHECK_EQ(feed.process_count, 1);
    CHECK_EQ(feed.processes[0].pid, 4711);
    CHECK_EQ(feed.resident, 30 * 4096);
    CHECK(feed.live > 0);
    CHECK(judged());
    CHECK_EQ(feed.digest.head.process_count, 1);
    CHECK(feed.digest.head.site_count > 0);
    CHECK_EQ(feed.digest.head.point_count, DIGEST_POINTS);
    CHECK(feed_ticks(&feed) > 0);
    feed_close(&feed);
}

TEST(feed_reads_devices)
{
    const struct device_record devices[] = {{.kind = DEVICE_CUDA, .used = 3000, .taken = 9000},
                                            {.kind = DEVICE_CUDA, .index = 1, .used = 500}};
    struct ledger_header head;
    struct why why = {""};
    uint64_t at = 0;

    build_run();
    CHECK_EQ(feed_open(&feed, test_directory(), &why), 0);
    CHECK_EQ(feed.device, 0);
    CHECK_EQ(feed.processes[0].devices.count, 0);
    CHECK(peek_head(feed.processes[0].fd, &head));
    at = peek_find(&head, SECTION_devices, sizeof(devices[0]));
    CHECK(at > 0);
    change("4711.0.tare", (long)at, devices, sizeof(devices));
    feed_read(&feed);
    CHECK_EQ(feed.device, 3500);
    CHECK_EQ(feed.processes[0].devices.count, 2);
    CHECK_EQ(feed.processes[0].devices.taken, 9500); /* what is in use is taken */
    feed_close(&feed);
}

/* A judgement is paid for by the time until the next; a run that does not move is left alone. */
TEST(feed_keeps_the_price_of_judgements)
{
    const uint64_t begin = mailbox_clock();
    const uint32_t ended = STATE_ENDED;
    struct why why = {""};

    build_run();
    CHECK_EQ(feed_open(&feed, test_directory(), &why), 0);
    CHECK(judged());
    CHECK(feed.judgement.cost_ns > 0);
    CHECK(feed.judgement.next >= begin + feed.judgement.cost_ns * JUDGEMENT_SHARE);
    CHECK(feed.judgement.next >= begin + JUDGEMENT_EVERY);
    feed_read(&feed);
    CHECK(!feed_judge(&feed, UINT64_MAX / 2));
    CHECK_EQ(feed.judgement.child, 0);
    change("4711.0.tare", (long)offsetof(struct ledger_header, state), &ended, sizeof(ended));
    feed_read(&feed);
    CHECK(!feed_judge(&feed, begin)); /* not due yet */
    CHECK_EQ(feed.judgement.child, 0);
    CHECK(!feed_judge(&feed, UINT64_MAX / 2));
    CHECK(feed.judgement.child > 0);
    feed_close(&feed);
    CHECK_EQ(feed.judgement.child, 0);
}

TEST(feed_says_what_is_no_run)
{
    struct why why = {""};

    CHECK_EQ(feed_open(&feed, test_directory(), &why), ERR_FORMAT);
    CHECK_CONTAINS(why.text, "this directory has no run of tare");
    CHECK_EQ(feed_open(&feed, "/no/such/directory", &why), ERR_IO);
    CHECK_CONTAINS(why.text, "No such file");
}

static void cut(const char *name, long size)
{
    char path[4200];

    (void)snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
    CHECK_EQ(truncate(path, size), 0);
}

TEST(feed_sees_the_end)
{
    const uint32_t ended = STATE_ENDED;
    struct why why = {""};

    build_run();
    CHECK_EQ(feed_open(&feed, test_directory(), &why), 0);
    CHECK(judged());
    change("run.tare", (long)offsetof(struct ledger_header, state), &ended, sizeof(ended));
    feed_read(&feed);
    CHECK_EQ(feed.state, FEED_ENDED);
    CHECK(!feed.judged_end);
    feed.judgement.next = 0;
    (void)feed_judge(&feed, mailbox_clock());
    CHECK(feed.judged_end); /* once more, of what it left */
    feed_close(&feed);
}

/* Files cut under the watcher's hands, at any length, and bytes that lie. */
TEST(feed_survives_ledgers_that_are_cut_or_forged)
{
    static const long sizes[] = {1 << 20, 70000, 8192, 4097, 4096, 4095, 100, 8, 1, 0};
    struct why why = {""};

    build_run();
    CHECK_EQ(feed_open(&feed, test_directory(), &why), 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        cut("4711.0.tare", sizes[i]);
        cut("run.tare", sizes[i]);
        feed_read(&feed);
        feed.judgement.next = 0;
        feed.judged = false;
        feed.trouble.text[0] = 0;
        (void)judged();
    }
    feed_close(&feed);
}

TEST(feed_survives_forged_headers)
{
    struct ledger_header head;
    struct why why = {""};

    build_run();
    CHECK_EQ(feed_open(&feed, test_directory(), &why), 0);
    srand(1);
    for (int round = 0; round < 2000; round++) {
        uint8_t *bytes = (uint8_t *)&head;

        CHECK_EQ(pread(feed.own, &head, sizeof(head), 0), (ssize_t)sizeof(head));
        for (int i = 0; i < 8; i++)
            bytes[16 + (size_t)rand() % (sizeof(head) - 16)] = (uint8_t)rand();
        change(round % 2 ? "run.tare" : "4711.0.tare", 0, &head, sizeof(head));
        feed.state = FEED_RUNNING;
        feed.processes[0].totals_at = 0;
        feed_read(&feed);
    }
    feed_close(&feed);
}

/* ---- judgements ---- */

TEST(digest_comes_through_a_pipe_whole_or_not_at_all)
{
    struct digest made, got;
    struct why why = {""};
    const int file = memfd_create("digest", MFD_CLOEXEC);
    uint8_t *bytes;
    off_t size;

    build_run();
    CHECK_EQ(digest_make(&made, test_directory(), &why), 0);
    CHECK_EQ(digest_write(&made, file), 0);
    size = lseek(file, 0, SEEK_END);
    bytes = mem_zalloc((size_t)size + 1);
    CHECK_EQ(pread(file, bytes, (size_t)size, 0), size);
    CHECK_EQ(digest_parse(&got, bytes, (size_t)size, &why), 0);
    CHECK_TEXT(digest_text(&got, got.head.answer), digest_text(&made, made.head.answer));
    CHECK_EQ(got.head.site_count, made.head.site_count);
    CHECK_TEXT(digest_text(&got, 0), "");
    CHECK_TEXT(digest_text(&got, UINT32_MAX), "");
    digest_free(&got);
    for (off_t n = 0; n < size; n += n < 200 ? 1 : 997)
        CHECK(digest_parse(&got, bytes, (size_t)n, &why) < 0);
    for (size_t at = 0; at < 6 * sizeof(uint64_t); at++) {
        bytes[at] ^= 0x55;
        CHECK(digest_parse(&got, bytes, (size_t)size, &why) < 0);
        bytes[at] ^= 0x55;
    }
    mem_free(bytes);
    digest_free(&made);
    (void)close(file);
}

TEST(digest_survives_running_out_of_memory)
{
    bool whole = false;

    build_run();
    for (unsigned long n = 1; !whole; n++) {
        struct digest digest;
        struct why why = {""};
        int err;

        mem_fail_at(n);
        err = digest_make(&digest, test_directory(), &why);
        whole = test_still_armed(n);
        CHECK(n < 100000);
        CHECK(err == 0 || (err == ERR_NOMEM && why.text[0]));
        digest_free(&digest);
    }
}

/* ---- questions ---- */

static const char *answer_with(enum request_state state)
{
    static struct asks asks;
    static const uint64_t done[4] = {1};
    const int directory = open(test_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct why why = {""};
    struct mailbox *mail = mailbox_open(directory, "4711.0.mail", &why);
    int slot;

    memset(&asks, 0, sizeof(asks));
    asks_collect(&asks, &feed, mailbox_clock());
    CHECK_CONTAINS(asks.says, "asked 1 process to collect");
    CHECK(!asks_look(&asks, mailbox_clock()));
    slot = mailbox_take(mail, mailbox_clock());
    CHECK(slot >= 0);
    CHECK_EQ(mail->slots[slot].kind, REQUEST_collect);
    if (state == REQUEST_TAKEN) { /* and died over it */
        CHECK(!asks_look(&asks, mailbox_clock()));
        CHECK(asks_look(&asks, mailbox_clock() + 60 * SECOND));
    } else {
        mailbox_answer(mail, NULL, slot, state, done);
        CHECK(asks_look(&asks, mailbox_clock()));
    }
    CHECK(!asks.under_way);
    asks_fini(&asks);
    mailbox_close(mail);
    (void)close(directory);
    return asks.says;
}

TEST(asks_say_what_came_of_it)
{
    static struct asks asks;
    struct why why = {""};

    build_run();
    CHECK_EQ(feed_open(&feed, test_directory(), &why), 0);
    CHECK_TEXT(answer_with(REQUEST_DONE), "1 process collected");
    CHECK_CONTAINS(answer_with(REQUEST_REFUSED), "1 refused (");
    CHECK_TEXT(answer_with(REQUEST_TAKEN), "1 did not answer in time");
    feed.observe = true;
    asks_collect(&asks, &feed, 1);
    CHECK_CONTAINS(asks.says,
                   "no collection requested: the run was started with --observe");
    feed.observe = false;
    feed.state = FEED_ENDED;
    asks_collect(&asks, &feed, 1);
    CHECK_CONTAINS(asks.says, "the run has ended");
    feed_close(&feed);
}
