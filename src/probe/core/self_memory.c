/* self_memory.c - see the header. */
#include "probe/core/self_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

size_t self_copy_some(void *to, uintptr_t from, size_t size)
{
    const int saved = errno;
    const struct iovec here = {.iov_base = to, .iov_len = size};
    const struct iovec there = {.iov_base = (void *)from, .iov_len = size};
    const ssize_t done = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

    errno = saved;
    return done > 0 ? (size_t)done : 0;
}

bool self_copy(void *to, uintptr_t from, size_t size)
{
    return self_copy_some(to, from, size) == size;
}

bool self_copy_known(void *to, uintptr_t from, size_t size)
{
    memcpy(to, (const void *)from, size);
    return true;
}

/* The kernel reads the signal set before it looks at what to do with it, and "what" is nonsense:
 * EFAULT when it could not be read, else EINVAL. No mask is ever changed, and sandboxes let it pass. */
bool self_readable(uintptr_t address)
{
    const int saved = errno;
    const long done = syscall(SYS_rt_sigprocmask, ~0l, (void *)(address & ~7ul), NULL, 8l);
    const bool readable = done == -1 && errno == EINVAL;

    errno = saved;
    return readable;
}
