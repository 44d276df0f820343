/* birth.c - see birth.h. */
#include "probe/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/quiet.h"

#define GENERATIONS_MAX 1000 /* exec calls of one process that get a ledger each */
#define TEXT_BYTES 2048

static void program_path(char *text)
{
    const ssize_t length = readlink("/proc/self/exe", text, TEXT_BYTES - 1);

    text[length > 0 ? length : 0] = '\0';
}

/* The words of the command line, separated by one blank. */
static void command_line(char *text)
{
    const int fd = quiet_open(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? 0 : quiet_read(fd, text, TEXT_BYTES - 1);

    if (fd >= 0)
        quiet_close(fd);
    length = length > 0 ? length : 0;
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (long i = 0; i < length; i++)
        text[i] = text[i] == '\0' ? ' ' : text[i];
    text[length] = '\0';
}

static int make_ledger(const struct birth *from, struct ledger *ledger, uint32_t generation,
                       struct why *why)
{
    char name[LEDGER_NAME_MAX], program[TEXT_BYTES], command[TEXT_BYTES];
    const struct ledger_identity identity = {.role = ROLE_PROCESS,
                                             .pid = (uint32_t)getpid(),
                                             .parent_pid = (uint32_t)getppid(),
                                             .generation = generation,
                                             .run = from->bell->run,
                                             .rate = from->rate,
                                             .program = program,
                                             .command = command,
                                             .allocator = from->allocator};

    program_path(program);
    command_line(command);
    ledger_name(name, identity.pid, generation, LEDGER_SUFFIX);
    return ledger_create(ledger, from->directory, name, &identity, why);
}

static struct mailbox *make_mail(const struct birth *from, uint32_t generation, struct why *why)
{
    const int directory =
        quiet_open(AT_FDCWD, from->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    char name[LEDGER_NAME_MAX];
    struct mailbox *mail = NULL;

    ledger_name(name, (uint32_t)getpid(), generation, MAILBOX_SUFFIX);
    if (directory >= 0) {
        mail = mailbox_create(directory, name, (uint32_t)getpid(), why);
        quiet_close(directory);
    }
    return mail;
}

int birth_make(const struct birth *from, struct ledger *ledger, struct mailbox **mail,
               struct why *why)
{
    int err = ERR_IO;

    for (uint32_t generation = 0; generation < GENERATIONS_MAX; generation++) {
        errno = 0;
        err = make_ledger(from, ledger, generation, why);
        if (!err)
            *mail = make_mail(from, generation, why); /* without one nobody can ask, no more */
        if (!err || errno != EEXIST)
            break;
    }
    return err;
}
