/* pieces.c - see pieces.h. Raw system calls: inside a program mmap and munmap are hooked. */
#include "ledger/pieces.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/quiet.h"

#define PAGE 4096ull
#define PROBE_BYTES (64 * 1024)

/* How far from where the system would put it. It fills its addresses without gaps, downwards as a
 * rule: far below, nothing grows into us. Under valgrind it goes upwards, and low. */
static const int64_t distances[] = {-(1ll << 40), -(1ll << 42), -(1ll << 38), -(1ll << 36), 1ll << 36,
                                    1ll << 34};

static void *map_at(uintptr_t address, uint64_t bytes, int fd, uint64_t offset)
{
    const int flags = MAP_SHARED | (address ? MAP_FIXED_NOREPLACE : 0);
    const long got =
        syscall(SYS_mmap, address, bytes, PROT_READ | PROT_WRITE, flags, fd, (long)offset);

    if (got == -1)
        return NULL;
    if (address && (uintptr_t)got != address) { /* a kernel that does not know the flag: a hint */
        (void)syscall(SYS_munmap, got, bytes);
        errno = EEXIST;
        return NULL;
    }
    /* There is nothing to be read ahead, but the kernel would make pages of zeros around each page
     * that is touched: at a program's start more than two milliseconds of them. */
    (void)syscall(SYS_madvise, got, bytes, MADV_RANDOM);
    return (void *)got;
}

/* Where the system would map something now; 0: nowhere. */
static uintptr_t usual_place(void)
{
    const long got = syscall(SYS_mmap, NULL, PROBE_BYTES, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0l);

    if (got == -1)
        return 0;
    (void)syscall(SYS_munmap, got, PROBE_BYTES);
    return (uintptr_t)got & ~(uintptr_t)0x1fffff;
}

struct ledger_header *pieces_open(struct pieces *pieces, int fd, uint64_t size, bool whole)
{
    const uintptr_t usual = whole ? 0 : usual_place();
    struct ledger_header *head = NULL;

    memset(pieces, 0, sizeof(*pieces));
    for (unsigned i = 0; usual && !head && i < sizeof(distances) / sizeof(distances[0]); i++) {
        const uintptr_t place = usual + (uintptr_t)distances[i];

        if (distances[i] > 0 || place < usual)
            head = map_at(place, LEDGER_HEADER_SIZE, fd, 0);
    }
    if (!head) {
        pieces->whole = size;
        head = map_at(0, size, fd, 0);
    }
    pieces->pages[0] = LEDGER_HEADER_SIZE / PAGE;
    return head;
}

/* Some file systems cannot promise room; writing zeros is the same promise. */
static int write_zeros(int fd, uint64_t offset, uint64_t length)
{
    static const char zeros[4096];

    if (!quiet_may_reach(offset + length))
        return EFBIG;
    while (length > 0) {
        const size_t part = length < sizeof(zeros) ? (size_t)length : sizeof(zeros);
        const long done = quiet_write_at(fd, zeros, part, offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        offset += (uint64_t)done;
        length -= (uint64_t)done;
    }
    return 0;
}

int pieces_reserve(int fd, uint64_t offset, uint64_t length)
{
    int error;

    do
        error = quiet_allocate(fd, offset, length) == 0 ? 0 : errno;
    while (error == EINTR);
    return error == EOPNOTSUPP || error == ENOSYS ? write_zeros(fd, offset, length) : error;
}

bool pieces_map(struct pieces *pieces, struct ledger_header *head, int fd,
                const struct section_entry *entry, uint64_t count)
{
    const uint64_t pages = (count * entry->record_size + PAGE - 1) / PAGE;
    const uint64_t there = pieces->pages[entry->number];
    const uint64_t from = entry->offset + there * PAGE;

    if (pieces->whole || pages <= there)
        return true;
    if (!map_at((uintptr_t)head + from, (pages - there) * PAGE, fd, from))
        return false;
    pieces->pages[entry->number] = (uint32_t)pages;
    return true;
}

/* Only the last page is named: the maps before it may be another's in the kernel's list. */
static bool stretch(struct pieces *pieces, const struct ledger_header *head,
                    const struct section_entry *entry, uint64_t pages)
{
    const uint64_t there = pieces->pages[entry->number];
    const uintptr_t last = (uintptr_t)head + entry->offset + (there - 1) * PAGE;

    if (there == 0 || syscall(SYS_mremap, last, PAGE, (pages - there + 1) * PAGE, 0) == -1)
        return false;
    pieces->pages[entry->number] = (uint32_t)pages;
    return true;
}

/* The kernel writes to each page for us: on a full disk it returns EFAULT, while our own store
 * would cause SIGBUS. Nothing from `taken` on is in use, so what the call wrote is cleared again. */
static bool touch(struct ledger_header *head, const struct section_entry *entry, uint64_t count)
{
    char *const start = (char *)head + entry->offset;
    const uint64_t end = (count * entry->record_size + PAGE - 1) / PAGE * PAGE;
    uint64_t at = entry->taken * entry->record_size;

    while (at + sizeof(struct timespec) <= end) {
        if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, start + at) != 0)
            return false;
        memset(start + at, 0, sizeof(struct timespec));
        at = (at / PAGE + 1) * PAGE;
    }
    return true;
}

bool pieces_grow(struct pieces *pieces, struct ledger_header *head, const struct section_entry *entry,
                 uint64_t count)
{
    const uint64_t pages = (count * entry->record_size + PAGE - 1) / PAGE;

    if (!pieces->whole && pages > pieces->pages[entry->number] && !stretch(pieces, head, entry, pages))
        return false;
    return touch(head, entry, count);
}

bool pieces_next(const struct pieces *pieces, struct ledger_header *head, unsigned index, void **start,
                 uint64_t *bytes)
{
    if (index >= (pieces->whole ? 1 : LEDGER_PIECES))
        return false;
    *start = (char *)head + (index ? head->table[index].offset : 0);
    *bytes = pieces->whole ? pieces->whole : pieces->pages[index] * PAGE;
    return true;
}

/* The header says where the others are, so it is unmapped last. */
void pieces_close(const struct pieces *pieces, struct ledger_header *head)
{
    for (unsigned i = LEDGER_PIECES; i-- > 0;) {
        uint64_t bytes;
        void *start;

        if (pieces_next(pieces, head, i, &start, &bytes) && bytes > 0)
            (void)syscall(SYS_munmap, start, bytes);
    }
}
