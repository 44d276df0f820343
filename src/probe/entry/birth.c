/* birth.c - see birth.h.
 *
 * A process may become another program, by exec, any number of times, and each has a ledger of its own.
 * That is bounded: the first 16 have it when they need it, the next 16 once they have run for a tenth
 * of a second, the next 16 after twice that time, and so on. Their number grows with the logarithm
 * of the time. What ended before its ledger was due is counted in the bell.
 */
#include "probe/entry/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/quiet.h"
#include "base/secret.h"
#include "ledger/mailbox.h"
#include "probe/core/next.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/core/thread_sums.h"
#include "probe/record/rate.h"
#include "probe/serve/greeting.h"
#include "probe/unwind/modules.h"

#define AT_ONCE 16 /* programs of one process whose ledgers are made as soon as they are due */
#define BRIEF_NS 100000000ull /* how long the next 16 must have run; then twice as long, and so on */
#define DOUBLED_MAX     20 /* more than a day */
#define GENERATIONS_MAX 100000
#define TRIES           16 /* names that another process has: one of a pid namespace of its own */
#define TEXT_BYTES      2048

static uint8_t making;     /* atomic: one thread makes the ledger */
static bool cloned_unseen; /* the probe did not see the clone that made this process; not recorded yet */
static struct ledger ledger;

struct birth {
    const char *directory; /* absolute path of the run's directory */
    struct bell *bell;     /* of the run */
    const char *allocator; /* path of the object whose malloc the program calls */
    uint64_t rate;         /* mean number of bytes between two samples */
    bool small;            /* the disk has room only for a small ledger */
};

/* Written by the one thread that makes the ledger. */
static uint32_t generation; /* number of this program in the process; part of the ledger's name */
static uint64_t due;        /* time from which the ledger may be made; 0: not known yet, 1: at once */

static void program_path(char *text)
{
    const ssize_t length = readlink("/proc/self/exe", text, TEXT_BYTES - 1);

    text[length > 0 ? length : 0] = '\0';
}

/* The words of the command line, separated by one blank, without the secrets among them. */
static void command_line(char *text)
{
    const int fd = quiet_open(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? 0 : quiet_read(fd, text, TEXT_BYTES - 1);

    if (fd >= 0)
        quiet_close(fd);
    (void)secret_command(text, length > 0 ? (size_t)length : 0);
}

static int make_file(const struct birth *from, struct ledger *out, struct why *why)
{
    char name[LEDGER_NAME_MAX], program[TEXT_BYTES], command[TEXT_BYTES];
    const struct ledger_identity identity = {.role = ROLE_PROCESS,
                                             .pid = (uint32_t)getpid(),
                                             .parent_pid = (uint32_t)getppid(),
                                             .generation = generation,
                                             .run = from->bell->run,
                                             .rate = from->rate,
                                             .small = from->small,
                                             .program = program,
                                             .command = command,
                                             .allocator = from->allocator};

    program_path(program);
    command_line(command);
    ledger_name(name, identity.pid, generation, LEDGER_SUFFIX);
    return ledger_create(out, from->directory, name, &identity, why);
}

static struct mailbox *make_mail(struct why *why)
{
    const int directory = state_open_directory();
    char name[LEDGER_NAME_MAX];
    struct mailbox *mail = NULL;

    ledger_name(name, (uint32_t)getpid(), generation, MAILBOX_SUFFIX);
    if (directory >= 0) {
        mail = mailbox_create(directory, name, (uint32_t)getpid(), why);
        quiet_close(directory);
    }
    return mail;
}

/* ---- the programs that this process was before ---- */

static bool exists(int directory, uint32_t number)
{
    char name[LEDGER_NAME_MAX];
    struct stat info;

    ledger_name(name, (uint32_t)getpid(), number, LEDGER_SUFFIX);
    return syscall(SYS_newfstatat, directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The first that is free. They are taken in order, so that few have to be tried. */
static uint32_t first_free(void)
{
    const int directory = state_open_directory();
    uint32_t taken = 0, open = 0; /* below `taken` all are, `open` is free */

    if (directory < 0)
        return 0;
    while (open < GENERATIONS_MAX && exists(directory, open)) {
        taken = open + 1;
        open = taken * 2;
    }
    while (taken < open) {
        const uint32_t middle = taken + (open - taken) / 2;

        if (exists(directory, middle))
            taken = middle + 1;
        else
            open = middle;
    }
    quiet_close(directory);
    return taken;
}

/* How long a program must have run, after so many others in this process. */
static uint64_t patience(uint32_t before)
{
    const uint32_t doubled = before / AT_ONCE - 1;

    return BRIEF_NS << (doubled < DOUBLED_MAX ? doubled : DOUBLED_MAX);
}

/* Is it time to make them? False: this is one of many programs in this process, and has just begun. */
static bool is_due(const struct birth *from)
{
    if (!due) {
        generation = first_free();
        due = generation < AT_ONCE ? 1 : raw_now() + patience(generation);
        if (due != 1)
            (void)__atomic_add_fetch(&from->bell->unrecorded, 1, __ATOMIC_RELAXED);
    }
    return due == 1 || raw_now() >= due;
}

/* Makes PID.GENERATION.tare and .mail, with the first generation that is free. */
static int make_files(const struct birth *from, struct ledger *out, struct mailbox **mail,
                      struct why *why)
{
    const uint32_t last = generation + TRIES;
    int err = ERR_IO;

    for (; generation < last; generation++) {
        errno = 0;
        err = make_file(from, out, why);
        if (!err || errno != EEXIST)
            break;
    }
    if (err)
        return err;
    *mail = make_mail(why); /* without a mailbox the doctor can make no requests; all else works */
    if (due != 1)
        (void)__atomic_sub_fetch(&from->bell->unrecorded, 1, __ATOMIC_RELAXED);
    return 0;
}

static void introduce(void)
{
    ledger.head->inherited = thread_inherited_bytes() > 0;
    ledger.head->forked_bytes = thread_inherited_bytes();
    modules_use(&ledger);
    if (cloned_unseen)
        ledger_lose(&ledger, LOST_fork_unseen, 1);
    ledger_state(&ledger, STATE_RUNNING);
    (void)state_publish(&ledger);
    greeting_note(&ledger);
}

bool birth_is_root(void)
{
    return state_bell()->doctor == (uint32_t)getppid();
}

/* False: there will never be one. */
static bool make_ledger(struct bell *bell)
{
    struct mailbox *mail = NULL;
    const uint32_t size =
        birth_is_root() ? LEDGERS_FULL : __atomic_load_n(&bell->ledgers, __ATOMIC_RELAXED);
    const struct birth birth = {.directory = state_directory(),
                                .bell = bell,
                                .allocator = next.path,
                                .rate = rate_now(),
                                .small = size == LEDGERS_SMALL};
    struct why why;

    if (!is_due(&birth))
        return true;
    if (size < LEDGERS_NONE && make_files(&birth, &ledger, &mail, &why) == 0) {
        state_use_mailbox(mail);
        introduce();
        return true;
    }
    (void)__atomic_add_fetch(size < LEDGERS_NONE ? &bell->refused : &bell->over_budget, 1,
                             __ATOMIC_RELAXED);
    return false;
}

bool birth_make(void)
{
    bool possible = true;

    if (__atomic_test_and_set(&making, __ATOMIC_ACQUIRE))
        return true; /* another thread is at it; this event is only counted */
    if (!state_ledger_now())
        possible = make_ledger(state_bell());
    __atomic_clear(&making, __ATOMIC_RELEASE);
    return possible;
}

void birth_forked(bool raw)
{
    struct mailbox *mail = state_mailbox();

    if (state_publish(NULL))
        ledger_close(&ledger);
    if (mail)
        (void)syscall(SYS_munmap, mail, MAILBOX_SIZE);
    state_use_mailbox(NULL);
    memset(&ledger, 0, sizeof(ledger) - sizeof(ledger.path));
    making = 0;
    cloned_unseen = raw;
    due = 0;
}
