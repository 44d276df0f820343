/* run_dir.c - see run_dir.h. */
#include "probe/entry/run_dir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/quiet.h"
#include "ledger/writer.h"
#include "probe/core/state.h"
#include "probe/core/symbol.h"

static uid_t run_user; /* the user that the run's directory belongs to */
static bool moved;     /* atomic: this process has another root directory than when it began */

/* A variable of the environment. Functions of .preinit_array run before libc has set `environ`:
 * then it is read where the kernel put it, above the argument vector on the first stack. */
static const char *variable(const char *name)
{
    const size_t length = strlen(name);
    char *const *const *first = environ ? NULL : symbol_look(RTLD_DEFAULT, "__libc_stack_end");
    char *const *at;

    if (!first)
        return getenv(name);
    for (at = *first + *(const long *)(const void *)*first + 2; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

struct bell *run_dir_find(void)
{
    const char *path = variable("TARE_DIR"), *no = variable("TARE_OFF");
    struct bell *bell;
    struct why why;
    int fd;

    if (!path || (no && no[0] == '1') || !state_use_directory(path))
        return NULL;
    fd = state_open_directory();
    if (fd < 0)
        return NULL;
    run_user = (uid_t)syscall(SYS_geteuid);
    bell = bell_open(fd, &why);
    state_use_bell(bell);
    quiet_close(fd);
    return bell;
}

enum run_dir_reach run_dir_reach(void)
{
    const bool other = state_bell() && (uid_t)syscall(SYS_geteuid) != run_user;
    int fd;

    if (!state_bell() || (!other && !__atomic_load_n(&moved, __ATOMIC_RELAXED)))
        return RUN_DIR_REACHED;
    fd = state_open_directory();
    if (fd >= 0)
        quiet_close(fd);
    return fd >= 0 ? RUN_DIR_REACHED : other ? RUN_DIR_OTHER_USER : RUN_DIR_OTHER_ROOT;
}

void run_dir_moved(void)
{
    struct ledger *now = state_ledger_now();

    __atomic_store_n(&moved, true, __ATOMIC_RELAXED);
    if (now)
        ledger_detach(now, true);
}
