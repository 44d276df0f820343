/* measure.c - the second opinion behind the truth files: a preload that knows nothing of tare's
 * rules and only counts. It takes the place of the probe behind tare/mark.h and writes, to the
 * file named by MEASURE_OUT, one line per step: step, live heap bytes (usable sizes), live blocks,
 * live mapped bytes, resident bytes. A program without marks gets a line every 20 ms of its life.
 *
 * glibc only. Not part of tare.
 */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <tare/mark.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_llong live, blocks, mapped;
static atomic_ullong next_slice;
static atomic_int marked;
static int out = -1;

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static long long resident(void)
{
    char text[128] = {0};
    long long total = 0, pages = 0;
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
        sscanf(text, "%lld %lld", &total, &pages);
    if (fd >= 0)
        close(fd);
    return pages * 4096;
}

static void line(uint64_t step)
{
    char text[160];
    const int n = snprintf(text, sizeof(text), "%llu %lld %lld %lld %lld\n",
                           (unsigned long long)step, live, blocks, mapped, resident());

    if (out >= 0 && write(out, text, (size_t)n) != n)
        out = -1;
}

static void step(uint64_t index)
{
    atomic_store(&marked, 1);
    line(index);
}

static void scope_begin(const char *name)
{
    (void)name;
}

static void scope_end(void)
{
}

const struct tare_marks tare_marks_v1 = {step, scope_begin, scope_end};

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("MEASURE_OUT");

    if (name)
        out = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    atomic_store(&next_slice, now() + 20000000u);
}

static void slice(void)
{
    unsigned long long due = atomic_load(&next_slice);
    uint64_t t;

    if (atomic_load(&marked) || out < 0 || (t = now()) < due)
        return;
    if (atomic_compare_exchange_strong(&next_slice, &due, t + 20000000u))
        line(t / 1000000u);
}

static void *born(void *block)
{
    if (block) {
        live += (long long)malloc_usable_size(block);
        blocks++;
    }
    slice();
    return block;
}

static void dies(void *block)
{
    if (block) {
        live -= (long long)malloc_usable_size(block);
        blocks--;
    }
}

void *malloc(size_t size)
{
    return born(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return born(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    dies(block);
    return born(__libc_realloc(block, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return born(__libc_memalign(alignment, size));
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    *result = born(__libc_memalign(alignment, size));
    return *result ? 0 : 12;
}

void free(void *block)
{
    dies(block);
    __libc_free(block);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *map = (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);

    if (map != MAP_FAILED)
        mapped += (long long)size;
    return map;
}

int munmap(void *at, size_t size)
{
    mapped -= (long long)size;
    return (int)syscall(SYS_munmap, at, size);
}
