/* test_watch.c - what the watch writes down of real processes, read back as a report would. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run/system/proc.h"
#include "run/watch/watch.h"
#include "ledger/model.h"
#include "test.h"

static struct watch watch; /* large */
static struct rundir dir;

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&time, NULL);
}

static void begin(void)
{
    static char name[128], program[] = "program";
    char *command[] = {program, NULL};
    const struct rundir_request request = {
        .directory = name, .program = program, .command = command};
    struct why why;

    (void)snprintf(name, sizeof(name), "%s/run", test_directory());
    CHECK_EQ(rundir_open(&dir, &request, &why), 0);
    watch_init(&watch, &dir, dir.bell);
}

static struct model *end(int status)
{
    struct model *model = NULL;
    char path[256];
    struct why why;

    watch_end(&watch, status);
    watch_fini(&watch);
    rundir_close(&dir);
    (void)snprintf(path, sizeof(path), "%s/run/run.tare", test_directory());
    CHECK_EQ(model_load_file(&model, path, &why), 0);
    return model;
}

static void passes(int count)
{
    for (int i = 0; i < count; i++) {
        watch_pass(&watch);
        sleep_ms((long)(watch_until_due(&watch) / 1000000) + 1);
    }
}

/* A child that touches this many bytes and waits to be killed. */
static pid_t child_of(size_t bytes, const char *name)
{
    const pid_t pid = fork();

    if (pid == 0) {
        volatile char *block = malloc(bytes + 1);

        (void)prctl(PR_SET_NAME, name);
        for (size_t i = 0; block && i < bytes; i += 4096)
            block[i] = 1;
        for (;;)
            (void)pause();
    }
    CHECK(pid > 0);
    sleep_ms(50);
    return pid;
}

static int finish(pid_t pid, int signal)
{
    int status = 0;

    CHECK_EQ(kill(pid, signal), 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return status;
}

TEST(watch_records_sizes_and_the_root)
{
    struct model *model;
    pid_t pid;

    begin();
    pid = child_of(30 << 20, "eater");
    watch_root(&watch, pid, mailbox_clock(), "is a test");
    passes(5);
    model = end(finish(pid, SIGTERM));
    CHECK_EQ(model->process_count, 1);
    CHECK_EQ(model->processes[0].pid, pid);
    CHECK_EQ(model->processes[0].flags, PROCESS_ROOT);
    CHECK_EQ(model->processes[0].status, SIGTERM);
    CHECK(model->processes[0].end > model->processes[0].start);
    CHECK(model->processes[0].resident_peak >= 30 << 20);
    CHECK(model->processes[0].resident_peak < 90 << 20);
    CHECK_TEXT(model->process_names[0], "eater");
    CHECK_TEXT(model->process_untraced[0], "it is a test");
    CHECK_EQ(model->sample_count, 5);
    CHECK(model->samples[4].root_resident >= 30 << 20);
    CHECK_EQ(model->samples[4].resident, model->samples[4].root_resident);
    CHECK(model->samples[4].available > 0);
    CHECK(model->limit_count >= 1);
    CHECK_EQ(model->note_count, 0);
    CHECK_EQ(model->head.state, STATE_ENDED);
    model_free(model);
}

TEST(watch_records_the_processor_time_of_the_run)
{
    struct model *model;
    pid_t pid;

    begin();
    pid = child_of(1 << 20, "eater");
    watch_root(&watch, pid, mailbox_clock(), NULL);
    passes(2);
    watch_keep_effort(&watch, 42);
    model = end(finish(pid, SIGTERM));
    CHECK_EQ(model->effort.program_ns, 42);
    CHECK(model->effort.tare_ns > 0);
    CHECK(model->effort.look_ns <= model->effort.tare_ns);
    CHECK_EQ(model->effort.looks, 0); /* there was no ledger to judge */
    model_free(model);
}

/* As the probe makes the copy that it searches in: its end is sent to nobody. */
static pid_t copy_of_us(void)
{
    const pid_t pid = (pid_t)syscall(SYS_clone, 0ul, NULL, NULL, NULL, 0ul);

    for (; pid == 0;)
        (void)pause();
    CHECK(pid > 0);
    return pid;
}

/* Until it has given itself its name it has the program's. */
TEST(watch_leaves_out_a_copy_without_a_name_so_far)
{
    pid_t copy, fork_of_us;

    begin();
    watch_root(&watch, getpid(), mailbox_clock(), NULL);
    copy = copy_of_us();
    fork_of_us = child_of(1 << 20, "worker");
    passes(3);
    CHECK_EQ(watch.patients.count, 2);
    CHECK(patients_find(&watch.patients, fork_of_us) != NULL);
    CHECK(patients_find(&watch.patients, copy) == NULL);
    CHECK_EQ(kill(copy, SIGKILL), 0);
    (void)finish(fork_of_us, SIGKILL);
    model_free(end(0));
}

TEST(watch_leaves_out_a_copy_that_names_itself_later)
{
    struct model *model;
    pid_t root, copy;

    begin();
    root = child_of(1 << 20, "program");
    watch_root(&watch, root, mailbox_clock(), NULL);
    copy = child_of(1 << 20, "tare-search");
    CHECK(patients_add(&watch.patients, copy) != NULL);
    passes(2);
    CHECK_EQ(watch.patients.count, 1);
    model = end(finish(root, SIGKILL));
    CHECK_EQ(watch.orphans, 0);
    (void)finish(copy, SIGKILL);
    model_free(model);
}

TEST(watch_finds_children_and_orphans)
{
    struct model *model;
    int ends[2];
    pid_t root, grandchild = 0;

    CHECK_EQ(pipe(ends), 0);
    begin();
    root = fork();
    if (root == 0) {
        const pid_t made = child_of(1 << 20, "worker");

        (void)!write(ends[1], &made, sizeof(made));
        for (;;)
            (void)pause();
    }
    CHECK_EQ(read(ends[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
    watch_root(&watch, root, mailbox_clock(), NULL);
    passes(2);
    CHECK_EQ(watch.patients.count, 2);
    model = end(finish(root, SIGKILL));
    CHECK_EQ(watch.orphans, 1);
    CHECK_CONTAINS(watch.orphan_names, "worker");
    CHECK_EQ(model->process_count, 2);
    CHECK_EQ(model->processes[1].pid, grandchild);
    CHECK_EQ(model->processes[1].parent_pid, root);
    CHECK_EQ(model->processes[1].flags, PROCESS_ORPHAN);
    CHECK_EQ(model->processes[1].end, 0);
    CHECK_EQ(model->note_count, 0); /* the flag says it */
    CHECK_EQ(kill(grandchild, SIGKILL), 0);
    model_free(model);
}

static struct mailbox *own_mail;
static void serve_nothing(void)
{
}

/* Plays the probe: makes its mailbox, offers the last round, and ends when it is released. */
static pid_t child_with_last_round(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        char name[LEDGER_NAME_MAX];
        struct why why;
        uint64_t before;

        ledger_name(name, (uint32_t)getpid(), 0, MAILBOX_SUFFIX);
        own_mail = mailbox_create(dir.fd, name, (uint32_t)getpid(), &why);
        sleep_ms(250);
        before = mailbox_clock();
        mailbox_last_round(own_mail, dir.bell, serve_nothing);
        _exit(mailbox_clock() - before < 500000000u ? 0 : 1);
    }
    CHECK(pid > 0);
    return pid;
}

TEST(watch_takes_the_account_in_the_last_round_and_releases_it)
{
    struct model *model;
    int status = -1;
    pid_t pid;

    begin();
    pid = child_with_last_round();
    watch_root(&watch, pid, mailbox_clock(), NULL);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        const uint32_t seen = __atomic_load_n(&dir.bell->word, __ATOMIC_ACQUIRE);

        watch_pass(&watch);
        bell_wait(dir.bell, seen, watch_until_due(&watch));
    }
    CHECK_EQ(status, 0); /* it was released well before the round's own limit */
    model = end(status);
    CHECK_EQ(model->account_count, 1);
    CHECK_EQ(model->accounts[0].pid, pid);
    CHECK(model->accounts[0].resident > 0);
    CHECK(model->accounts[0].pause_ns > 0);
    model_free(model);
}

TEST(watch_marks_the_end_of_a_child)
{
    struct model *model;
    int made_it[2], end_it[2];
    char byte = 0;
    pid_t root;

    CHECK_EQ(pipe(made_it), 0);
    CHECK_EQ(pipe(end_it), 0);
    begin();
    root = fork();
    if (root == 0) {
        const pid_t made = child_of(4096, "brief");

        (void)!write(made_it[1], &byte, 1);
        (void)!read(end_it[0], &byte, 1);
        (void)finish(made, SIGKILL);
        (void)!write(made_it[1], &byte, 1);
        for (;;)
            (void)pause();
    }
    CHECK_EQ(read(made_it[0], &byte, 1), 1);
    watch_root(&watch, root, mailbox_clock(), NULL);
    passes(2);
    CHECK_EQ(watch.patients.count, 2);
    CHECK_EQ(write(end_it[1], &byte, 1), 1);
    CHECK_EQ(read(made_it[0], &byte, 1), 1);
    passes(2);
    CHECK_EQ(watch.patients.count, 1);
    model = end(finish(root, SIGKILL));
    CHECK_EQ(model->process_count, 2);
    CHECK(model->processes[1].end > model->processes[1].start);
    CHECK_EQ(model->processes[1].flags, 0);
    model_free(model);
}

TEST(proc_stat_survives_odd_names)
{
    struct proc_stat stat;

    CHECK_EQ(prctl(PR_SET_NAME, ") S 1 (x"), 0);
    CHECK(proc_stat(getpid(), &stat));
    CHECK_TEXT(stat.name, ") S 1 (x");
    CHECK_EQ(stat.parent, getppid());
    CHECK_EQ(stat.state, 'R');
    CHECK(proc_started(&stat) <= mailbox_clock());
    CHECK(!proc_stat(0x7fffffff, &stat));
}
