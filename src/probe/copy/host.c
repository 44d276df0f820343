/* host.c - see host.h. */
#include "probe/copy/host.h"

#include <fcntl.h>
#include <string.h>

#include "base/quiet.h"
#include "ledger/unsearched.h"
#include "probe/core/raw.h"

#define FD_MOST 4096 /* the most that are examined, so as not to hold up a large server */
#define USERFAULT "anon_inode:[userfaultfd]"

static bool waits_for_all; /* atomic; stays */

struct entry { /* as the kernel writes it */
    uint64_t inode, offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

static bool is_userfault(int list, const char *name)
{
    char target[sizeof(USERFAULT)];
    const long length = syscall(SYS_readlinkat, list, name, target, sizeof(target));

    return length == (long)sizeof(USERFAULT) - 1 && memcmp(target, USERFAULT, (size_t)length) == 0;
}

/* A clone of such a process may wait until its handler has read of it, which may be this very thread. */
static bool handles_faults(void)
{
    const int list = quiet_open(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    _Alignas(8) char text[4096];
    unsigned seen = 0;
    bool found = false;
    long got;

    if (list < 0)
        return false;
    while (!found && seen < FD_MOST &&
           (got = syscall(SYS_getdents64, list, text, sizeof(text))) > 0)
        for (long at = 0; at < got && !found; seen++) {
            const struct entry *one = (const struct entry *)(text + at);

            found = is_userfault(list, one->name);
            at += one->length;
        }
    quiet_close(list);
    return found;
}

void host_waits_for_all(void)
{
    __atomic_store_n(&waits_for_all, true, __ATOMIC_RELEASE);
}

bool host_is_waiting(void)
{
    return __atomic_load_n(&waits_for_all, __ATOMIC_ACQUIRE);
}

uint32_t host_forbids_copy(void)
{
    if (host_is_waiting())
        return UNSEARCHED_waiter;
    return handles_faults() ? UNSEARCHED_userfault : 0;
}
