/* test_mailbox.c - questions and answers across two processes, either of which may die. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/mailbox.h"
#include "test.h"

#define SECOND 1000000000ull

static const uint64_t some_argument[4] = {7, 8, 9, 10};

struct pair {
    int directory;
    struct mailbox *program, *doctor; /* the same page, as each side maps it */
    struct bell *bell;
};

static struct pair open_pair(void)
{
    const struct bell first = {.doctor = 1, .run = 5, .rate = 65536};
    struct why why = {""};
    struct pair p = {.directory = open(test_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};

    CHECK(p.directory >= 0);
    p.program = mailbox_create(p.directory, "1.0.mail", 1, &why);
    CHECK(p.program);
    p.doctor = mailbox_open(p.directory, "1.0.mail", &why);
    CHECK(p.doctor);
    p.bell = bell_create(p.directory, &first, &why);
    CHECK(p.bell);
    return p;
}

static void close_pair(struct pair *p)
{
    mailbox_close(p->program);
    mailbox_close(p->doctor);
    bell_close(p->bell);
    (void)close(p->directory);
}

TEST(mailbox_carries_a_question_and_its_answer)
{
    struct pair p = open_pair();
    const uint64_t reply[4] = {11, 12, 13, 14};
    uint64_t answer[4] = {0};
    const uint32_t rung = p.bell->word;
    const int slot = mailbox_ask(p.doctor, REQUEST_rate, some_argument, mailbox_clock() + SECOND);

    CHECK(slot >= 0);
    CHECK_EQ(mailbox_collect(p.doctor, slot, answer), REQUEST_ASKED);
    CHECK_EQ(mailbox_take(p.program, mailbox_clock()), slot);
    CHECK_EQ(p.program->slots[slot].kind, REQUEST_rate);
    CHECK_EQ(p.program->slots[slot].argument[3], 10);
    CHECK_EQ(mailbox_take(p.program, mailbox_clock()), -1);
    CHECK_EQ(mailbox_collect(p.doctor, slot, answer), REQUEST_TAKEN);
    mailbox_answer(p.program, p.bell, slot, REQUEST_DONE, reply);
    CHECK_EQ(p.bell->word, rung + 1);
    CHECK_EQ(mailbox_collect(p.doctor, slot, answer), REQUEST_DONE);
    CHECK_EQ(answer[0], 11);
    CHECK_EQ(mailbox_collect(p.doctor, slot, answer), REQUEST_FREE);
    close_pair(&p);
}

TEST(mailbox_refuses_and_expires)
{
    struct pair p = open_pair();
    const uint64_t none[4] = {0};
    uint64_t answer[4], now = mailbox_clock();
    int slot = mailbox_ask(p.doctor, REQUEST_trim, some_argument, now + SECOND);

    CHECK_EQ(mailbox_take(p.program, now), slot);
    mailbox_answer(p.program, NULL, slot, REQUEST_REFUSED, none);
    CHECK_EQ(mailbox_collect(p.doctor, slot, answer), REQUEST_REFUSED);

    slot = mailbox_ask(p.doctor, REQUEST_trim, some_argument, now + SECOND);
    CHECK_EQ(mailbox_take(p.program, now + 2 * SECOND), -1); /* seen too late: not carried out */
    CHECK_EQ(mailbox_collect(p.doctor, slot, answer), REQUEST_EXPIRED);

    slot = mailbox_ask(p.doctor, REQUEST_trim, some_argument, now - 1); /* never looked at */
    CHECK_EQ(mailbox_collect(p.doctor, slot, answer), REQUEST_EXPIRED);
    CHECK_EQ(mailbox_take(p.program, now - 2), -1);
    close_pair(&p);
}

TEST(mailbox_slots_are_valid_on_their_way)
{
    struct pair p = open_pair();
    const uint64_t reply[4] = {1, 2, 3, 4};
    uint64_t answer[4];
    const struct request *slot;
    int number;

    for (int i = 0; i < MAILBOX_SLOTS; i++)
        CHECK(mailbox_slot_is_valid(&p.program->slots[i]));
    number = mailbox_ask(p.doctor, REQUEST_trim, some_argument, mailbox_clock() + SECOND);
    slot = &p.program->slots[number];
    CHECK(mailbox_slot_is_valid(slot));
    CHECK_EQ(mailbox_take(p.program, mailbox_clock()), number);
    CHECK(mailbox_slot_is_valid(slot));
    mailbox_answer(p.program, p.bell, number, REQUEST_DONE, reply);
    CHECK(mailbox_slot_is_valid(slot));
    CHECK_EQ(mailbox_collect(p.doctor, number, answer), REQUEST_DONE);
    CHECK(mailbox_slot_is_valid(slot));
    close_pair(&p);
}

TEST(mailbox_slots_that_are_not_valid_are_recognised)
{
    static const struct request wrong[] = {
        {.state = 7, .kind = REQUEST_trim},                       /* no such state */
        {.state = REQUEST_ASKED, .kind = 0},                      /* no such kind */
        {.state = REQUEST_TAKEN, .kind = 9999},                   /* the same */
        {.state = REQUEST_TAKEN, .kind = REQUEST_trim, .answered = 5}, /* answered too early */
        {.state = REQUEST_DONE, .kind = REQUEST_trim},            /* done, and never answered */
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(!mailbox_slot_is_valid(&wrong[i]));
}

#ifdef TARE_DEBUG
TEST(mailbox_mistakes_of_our_own_are_found_in_debug_builds)
{
    struct pair p = open_pair();
    const uint64_t reply[4] = {0};
    const pid_t child = fork();
    int status;

    CHECK(child >= 0);
    if (child == 0) {
        (void)close(2);
        mailbox_answer(p.program, p.bell, 0, REQUEST_FREE, reply); /* not an answer */
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    close_pair(&p);
}
#endif

TEST(mailbox_full_of_questions_takes_no_more)
{
    struct pair p = open_pair();
    const uint64_t deadline = mailbox_clock() + SECOND;

    for (int i = 0; i < MAILBOX_SLOTS; i++)
        CHECK_EQ(mailbox_ask(p.doctor, REQUEST_rate, some_argument, deadline), i);
    CHECK_EQ(mailbox_ask(p.doctor, REQUEST_rate, some_argument, deadline), ERR_ABSENT);
    close_pair(&p);
}

/* ---- the death of either side ---- */

TEST(mailbox_question_to_a_program_that_dies_keeps_its_state)
{
    struct pair p = open_pair();
    uint64_t answer[4];
    const int taken = mailbox_ask(p.doctor, REQUEST_trim, some_argument, mailbox_clock() + SECOND);
    int asked;
    pid_t program = fork();

    if (program == 0) {
        CHECK_EQ(mailbox_take(p.program, mailbox_clock()), taken);
        (void)raise(SIGKILL);
    }
    CHECK_EQ(waitpid(program, NULL, 0), program);
    CHECK_EQ(mailbox_collect(p.doctor, taken, answer), REQUEST_TAKEN);
    asked = mailbox_ask(p.doctor, REQUEST_rate, some_argument, mailbox_clock() + SECOND / 50);
    CHECK_EQ(mailbox_collect(p.doctor, asked, answer), REQUEST_ASKED);
    (void)usleep(30000);
    CHECK_EQ(mailbox_collect(p.doctor, asked, answer), REQUEST_EXPIRED); /* nobody waits for ever */
    close_pair(&p);
}

TEST(mailbox_question_of_a_doctor_that_dies_expires)
{
    struct pair p = open_pair();
    pid_t doctor = fork();

    if (doctor == 0) {
        (void)mailbox_ask(p.doctor, REQUEST_trim, some_argument, mailbox_clock() + SECOND / 50);
        (void)raise(SIGKILL);
    }
    CHECK_EQ(waitpid(doctor, NULL, 0), doctor);
    (void)usleep(30000);
    CHECK_EQ(mailbox_take(p.program, mailbox_clock()), -1);
    CHECK_EQ(p.program->slots[0].state, REQUEST_EXPIRED);
    close_pair(&p);
}

/* ---- the last round ---- */

static struct pair round_pair;
static int served;

static void serve_all(void)
{
    const uint64_t reply[4] = {1};
    int slot;

    while ((slot = mailbox_take(round_pair.program, mailbox_clock())) >= 0) {
        mailbox_answer(round_pair.program, round_pair.bell, slot, REQUEST_DONE, reply);
        served++;
    }
}

static void beat(void)
{
    __atomic_store_n(&round_pair.bell->heartbeat, mailbox_clock(), __ATOMIC_RELEASE);
}

static uint64_t hold_last_round(void)
{
    const uint64_t begin = mailbox_clock();

    mailbox_last_round(round_pair.program, round_pair.bell, serve_all);
    CHECK_EQ(round_pair.program->round, ROUND_OVER);
    return mailbox_clock() - begin;
}

/* The doctor waits for the round, asks twice, one after the other, and lets the program go. */
static void doctor_in_last_round(void)
{
    uint64_t answer[4];

    while (!mailbox_round_offered(round_pair.doctor))
        bell_wait(round_pair.bell, round_pair.bell->word, SECOND / 100);
    for (int i = 0; i < 2; i++) {
        const int slot =
            mailbox_ask(round_pair.doctor, REQUEST_trim, some_argument, mailbox_clock() + SECOND);

        while (mailbox_collect(round_pair.doctor, slot, answer) != REQUEST_DONE)
            beat();
    }
    mailbox_release_round(round_pair.doctor);
    _exit(0);
}

TEST(last_round_ends_at_once_when_the_doctor_releases_it)
{
    uint64_t took;
    pid_t doctor;

    round_pair = open_pair();
    beat();
    doctor = fork();
    if (doctor == 0)
        doctor_in_last_round();
    took = hold_last_round();
    CHECK_EQ(served, 2);
    CHECK(took < SECOND);
    CHECK_EQ(waitpid(doctor, NULL, 0), doctor);
    close_pair(&round_pair);
}

TEST(last_round_lasts_two_seconds_when_the_doctor_is_alive_and_silent)
{
    uint64_t took;
    pid_t doctor;

    round_pair = open_pair();
    beat();
    doctor = fork();
    if (doctor == 0)
        for (;;) {
            beat();
            (void)usleep(50000);
        }
    took = hold_last_round();
    CHECK(took >= LAST_ROUND_NS && took < LAST_ROUND_NS + SECOND);
    (void)kill(doctor, SIGKILL);
    (void)waitpid(doctor, NULL, 0);
    close_pair(&round_pair);
}

TEST(last_round_does_not_wait_for_a_doctor_that_is_dead)
{
    round_pair = open_pair();
    CHECK(hold_last_round() < SECOND / 5); /* there never was one */
    round_pair.bell->heartbeat = mailbox_clock() - HEARTBEAT_STALE_NS - 1;
    CHECK(hold_last_round() < SECOND / 5); /* it has been silent for long */
    beat();
    CHECK(hold_last_round() < HEARTBEAT_STALE_NS + SECOND / 2); /* it dies during the round */
    close_pair(&round_pair);
}

/* ---- pages ---- */

static void write_page(const struct pair *p, const char *name, const char *bytes, size_t size)
{
    const int fd = openat(p->directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    CHECK(fd >= 0);
    CHECK_EQ(write(fd, bytes, size), (ssize_t)size);
    (void)close(fd);
}

TEST(mailbox_opens_no_page_that_is_not_one)
{
    static const char zeros[MAILBOX_SIZE];
    char newer[MAILBOX_SIZE] = MAILBOX_MAGIC;
    struct pair p = open_pair();
    struct why why = {""};

    newer[8] = MAILBOX_VERSION + 1;
    write_page(&p, "empty", "", 0);
    write_page(&p, "short", MAILBOX_MAGIC "\1\0\0\0", 12);
    write_page(&p, "zeros", zeros, sizeof(zeros));
    write_page(&p, "newer", newer, sizeof(newer));
    CHECK_EQ(symlinkat("1.0.mail", p.directory, "link"), 0);
    CHECK(!mailbox_open(p.directory, "absent", &why));
    CHECK(!mailbox_open(p.directory, "empty", &why));
    CHECK(!mailbox_open(p.directory, "short", &why));
    CHECK(!mailbox_open(p.directory, "zeros", &why));
    CHECK(!mailbox_open(p.directory, "newer", &why));
    CHECK_CONTAINS(why.text, "newer: not a page of this version");
    CHECK(!mailbox_open(p.directory, "link", &why));
    CHECK(!mailbox_create(p.directory, "1.0.mail", 1, &why)); /* never over another */
    CHECK(!bell_create(p.directory, p.bell, &why));
    close_pair(&p);
}

TEST(mailbox_is_refused_under_a_file_size_limit_without_a_signal)
{
    const struct rlimit none = {0, RLIM_INFINITY};
    struct pair p = open_pair();
    struct why why = {""};

    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    CHECK(!mailbox_create(p.directory, "2.0.mail", 2, &why)); /* SIGXFSZ would end this test */
    CHECK_EQ(faccessat(p.directory, "2.0.mail", F_OK, 0), -1);
    close_pair(&p);
}

TEST(bell_counts_programs_that_are_not_watched)
{
    struct pair p = open_pair();
    uint32_t *first = bell_count_unwatched(p.bell, 3, "/some/where/program"), *other;

    CHECK(bell_count_unwatched(p.bell, 3, "program") == first);
    CHECK_EQ(*first, 2);
    CHECK_TEXT(p.bell->unwatched[0].name, "program");
    CHECK_EQ(p.bell->unwatched[0].reason, 3);
    other = bell_count_unwatched(p.bell, 4, "program");
    CHECK(other != first);
    CHECK(bell_count_unwatched(p.bell, 3, "prog") != first);
    close_pair(&p);
}

/* Long names are cut, and what has no slot is counted. */
TEST(bell_stays_within_its_page)
{
    struct pair p = open_pair();
    char name[300];

    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = 0;
    for (int i = 0; i < UNWATCHED_SLOTS + 5; i++) {
        name[0] = (char)('a' + i);
        (void)bell_count_unwatched(p.bell, 1, name);
    }
    for (int i = 0; i < UNWATCHED_SLOTS; i++) {
        CHECK_EQ(strlen(p.bell->unwatched[i].name), UNWATCHED_NAME - 1);
        CHECK_EQ(p.bell->unwatched[i].starts, 1);
    }
    CHECK_EQ(p.bell->unwatched_more, 5);
    close_pair(&p);
}
