/* quiet.h - system calls as a guest makes them, without effect on the host's threads, signals and
 * limits.
 *
 * libc's open, close and pwrite are cancellation points: a cancelled thread of the host would end
 * inside our call, which it made only because malloc is hooked. syscall() is not a cancellation
 * point. A file that grows beyond RLIMIT_FSIZE causes SIGXFSZ, which kills: call quiet_may_reach
 * first. All return a negative number on failure and set errno.
 */
#ifndef TARE_BASE_QUIET_H
#define TARE_BASE_QUIET_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int quiet_open(int directory, const char *path, int flags, unsigned mode)
{
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

static inline long quiet_read(int fd, void *bytes, size_t size)
{
    return syscall(SYS_read, fd, bytes, size);
}

static inline long quiet_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    return syscall(SYS_pread64, fd, bytes, size, (long)offset);
}

static inline void quiet_close(int fd)
{
    (void)syscall(SYS_close, fd);
}

static inline int quiet_allocate(int fd, uint64_t offset, uint64_t length)
{
    return (int)syscall(SYS_fallocate, fd, 0, (long)offset, (long)length);
}

static inline long quiet_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    return syscall(SYS_pwrite64, fd, bytes, size, (long)offset);
}

/* Keeps errno. */
static inline void quiet_sleep(long ns)
{
    const struct timespec time = {.tv_nsec = ns};
    const int saved = errno;

    (void)syscall(SYS_nanosleep, &time, NULL);
    errno = saved;
}

/* May a file be this long, or be written up to this byte, without a signal? */
static inline bool quiet_may_reach(uint64_t size)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

#endif /* TARE_BASE_QUIET_H */
