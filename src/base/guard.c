/* guard.c - see guard.h. */
#include "base/guard.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

struct guarded {
    uintptr_t start, end; /* whole pages */
    bool cut;
};

/* The handler runs where a guarded map is read, so never while this table changes. */
static struct guarded *list; /* owned, for the life of the process */
static size_t count, room;
static uintptr_t page;

static uintptr_t page_size(void)
{
    if (page == 0)
        page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return page;
}

bool guard_add(const void *start, size_t size)
{
    const uintptr_t from = (uintptr_t)start, step = page_size();

    if (count == room) {
        const size_t more = room ? room * 2 : 16;
        void *grown = mem_resize(list, more, sizeof(*list));

        if (!grown)
            return false;
        list = grown;
        room = more;
    }
    list[count++] = (struct guarded){from, from + (size + step - 1) / step * step, false};
    return true;
}

static struct guarded *find(const void *start)
{
    for (size_t i = count; i-- > 0;)
        if (list[i].start == (uintptr_t)start)
            return &list[i];
    return NULL;
}

void guard_remove(const void *start)
{
    struct guarded *entry = find(start);

    if (entry)
        *entry = list[--count];
}

bool guard_was_cut(const void *start)
{
    const struct guarded *entry = find(start);

    return entry && entry->cut;
}

bool guard_mend(const siginfo_t *info)
{
    const uintptr_t at = (uintptr_t)info->si_addr;
    const int saved = errno;

    if (info->si_signo != SIGBUS || (info->si_code != BUS_ADRERR && info->si_code != BUS_OBJERR))
        return false; /* another process sent it */
    for (size_t i = 0; i < count; i++) {
        struct guarded *entry = &list[i];
        const uintptr_t from = at - at % page_size();
        void *zeros;

        if (at < entry->start || at >= entry->end)
            continue;
        zeros = mmap((void *)from, entry->end - from, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        entry->cut = true;
        errno = saved;
        return zeros != MAP_FAILED;
    }
    return false;
}

/* Returning causes the same fault again, now with the default action. */
static void catch_fault(int number, siginfo_t *info, void *context)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    (void)context;
    if (guard_mend(info))
        return;
    (void)sigaction(number, &plain, NULL);
    if (info->si_code <= 0)
        (void)raise(number);
}

void guard_install(void)
{
    struct sigaction action = {.sa_sigaction = catch_fault, .sa_flags = SA_SIGINFO};

    (void)page_size();
    (void)sigaction(SIGBUS, &action, NULL);
}
