/* birth.c - see birth.h. */
#include "probe/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/owned.h"
#include "base/quiet.h"
#include "base/secret.h"
#include "probe/raw.h"

#define AT_ONCE 16 /* programs of one process whose ledgers are made as soon as they are due */
#define BRIEF_NS                                                                                   \
    100000000ull           /* how long the next 16 must have run; then twice as long, and so on */
#define DOUBLED_MAX     20 /* more than a day */
#define GENERATIONS_MAX 100000
#define TRIES           16 /* names that another process has: one of a pid namespace of its own */
#define TEXT_BYTES      2048

/* Written by the one thread that makes the ledger. */
static uint32_t generation; /* what the ledger is to be called */
static uint64_t due;        /* when it may be made; 0: not asked yet, 1: at once */

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

static int make_ledger(const struct birth *from, struct ledger *ledger, struct why *why)
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
    return ledger_create(ledger, from->directory, name, &identity, why);
}

static int open_directory(const struct birth *from)
{
    return owned_open(from->directory);
}

static struct mailbox *make_mail(const struct birth *from, struct why *why)
{
    const int directory = open_directory(from);
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
static uint32_t first_free(const struct birth *from)
{
    const int directory = open_directory(from);
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

bool birth_is_due(const struct birth *from)
{
    if (!due) {
        generation = first_free(from);
        due = generation < AT_ONCE ? 1 : raw_now() + patience(generation);
        if (due != 1)
            (void)__atomic_add_fetch(&from->bell->unrecorded, 1, __ATOMIC_RELAXED);
    }
    return due == 1 || raw_now() >= due;
}

void birth_reset(void)
{
    due = 0;
}

int birth_make(const struct birth *from, struct ledger *ledger, struct mailbox **mail,
               struct why *why)
{
    const uint32_t last = generation + TRIES;
    int err = ERR_IO;

    for (; generation < last; generation++) {
        errno = 0;
        err = make_ledger(from, ledger, why);
        if (!err || errno != EEXIST)
            break;
    }
    if (err)
        return err;
    *mail = make_mail(from, why); /* without one nobody can ask, no more */
    if (due != 1)
        (void)__atomic_sub_fetch(&from->bell->unrecorded, 1, __ATOMIC_RELAXED);
    return 0;
}
