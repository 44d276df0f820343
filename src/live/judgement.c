/* judgement.c - see judgement.h. */
#include "live/judgement.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/guard.h"

#define NICE 5 /* the program and the doctor of its run have precedence */

/* If it fails, the child sends this and a sentence instead of a digest. */
static const char refusal[] = "tare: no judgement: ";

void judgement_init(struct judgement *judgement)
{
    *judgement = (struct judgement){.pipe = -1};
}

void judgement_fini(struct judgement *judgement)
{
    int status;

    if (judgement->child > 0) {
        (void)kill(judgement->child, SIGKILL);
        while (waitpid(judgement->child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (judgement->pipe >= 0)
        (void)close(judgement->pipe);
    text_free(&judgement->got);
    judgement_init(judgement);
}

/* ---- the child ---- */

/* The child must not restore the terminal, so its signals have their default action. */
static void plain_signals(void)
{
    static const int ours[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                               SIGSEGV, SIGABRT, SIGWINCH};
    struct sigaction plain = {.sa_handler = SIG_DFL};

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        (void)sigaction(ours[i], &plain, NULL);
    plain.sa_handler = SIG_IGN;
    (void)sigaction(SIGTSTP, &plain, NULL); /* the handler of the curses library draws */
    guard_install();
}

/* Helpers of the doctor must not write to the screen. */
static void quiet_output(void)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; nothing >= 0 && fd <= 2; fd++)
        (void)dup2(nothing, fd);
}

static void judge(const char *path, int out) __attribute__((noreturn));
static void judge(const char *path, int out)
{
    struct digest digest;
    struct why why = {""};
    int err;

    plain_signals();
    quiet_output();
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE);
    err = digest_make(&digest, path, &why);
    if (!err)
        err = digest_write(&digest, out);
    else if (write(out, refusal, strlen(refusal)) > 0)
        (void)!write(out, why.text, strlen(why.text));
    _exit(err ? 1 : 0);
}

bool judgement_begin(struct judgement *judgement, const char *path, uint64_t now)
{
    int ends[2];
    pid_t child;

    if (judgement->child > 0 || now < judgement->next || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child = fork();
    if (child == 0)
        judge(path, ends[1]);
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        judgement->next = now + JUDGEMENT_EVERY;
        return false;
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    judgement->child = child;
    judgement->pipe = ends[0];
    judgement->got.length = 0;
    return true;
}

/* ---- the watcher ---- */

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

/* Reads what is available. True: the child has sent everything. */
static bool read_on(struct judgement *judgement)
{
    char bytes[65536];
    ssize_t got;

    while ((got = read(judgement->pipe, bytes, sizeof(bytes))) > 0)
        text_add(&judgement->got, bytes, (size_t)got);
    return got == 0 || (errno != EAGAIN && errno != EINTR);
}

static int end_child(struct judgement *judgement, uint64_t now)
{
    struct rusage spent = {0};
    uint64_t rest;
    int status = -1;

    while (wait4(judgement->child, &status, 0, &spent) < 0 && errno == EINTR)
        ;
    (void)close(judgement->pipe);
    judgement->pipe = -1;
    judgement->child = 0;
    judgement->cost_ns = nanoseconds(&spent.ru_utime) + nanoseconds(&spent.ru_stime);
    rest = judgement->cost_ns * JUDGEMENT_SHARE;
    judgement->next = now + (rest > JUDGEMENT_EVERY ? rest : JUDGEMENT_EVERY);
    return status;
}

int judgement_take(struct judgement *judgement, struct digest *out, uint64_t now, struct why *why)
{
    const size_t words = strlen(refusal);
    int status, err;

    if (judgement->child <= 0 || !read_on(judgement))
        return 0;
    status = end_child(judgement, now);
    if (judgement->got.failed)
        err = fail(why, ERR_NOMEM, "no memory for the judgement");
    else if (WIFSIGNALED(status))
        err = fail(why, ERR_IO,
                   "the judging process was ended by signal %d",
                   WTERMSIG(status));
    else if (judgement->got.length >= words && memcmp(judgement->got.bytes, refusal, words) == 0)
        err = fail(why, ERR_FORMAT, "%s", judgement->got.bytes + words);
    else
        err = digest_parse(out, text_string(&judgement->got), judgement->got.length, why);
    text_free(&judgement->got);
    judgement->got = (struct text){0};
    return err ? err : 1;
}
