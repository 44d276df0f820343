/* raw.h - system calls that must not come back through our own hooks. */
#ifndef TARE_PROBE_RAW_H
#define TARE_PROBE_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE_BITS 12
#define PAGE_BYTES (1ul << PAGE_BITS)


/* Private zeroed pages; NULL: refused. */
static inline void *raw_map(size_t bytes)
{
    const long result = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);

    return result == -1 ? NULL : (void *)result;
}

/* The same, shared with a copy of this process. */
static inline void *raw_map_shared(size_t bytes)
{
    const long result = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);

    return result == -1 ? NULL : (void *)result;
}

static inline uint64_t raw_clock(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t raw_now(void)
{
    return raw_clock(CLOCK_MONOTONIC);
}

/* Processor time of this thread, whatever others do on the machine: a system call. */
static inline uint64_t raw_worked(void)
{
    return raw_clock(CLOCK_THREAD_CPUTIME_ID);
}

#endif /* TARE_PROBE_RAW_H */
