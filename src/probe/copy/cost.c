/* cost.c - see cost.h. */
#include "probe/copy/cost.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "base/quiet.h"
#include "probe/copy/copy.h"
#include "probe/core/raw.h"

#define PAUSE_MOST_NS 50000000u       /* longest single stop of a running program */
#define PAUSE_MOST_LAST_NS 500000000u /* longest single stop of a program that has ended */
#define FAULTS_MOST_NS 200000000u     /* and all its writes to shared pages take no longer than this */
#define PAGE_NS 80        /* to copy one entry, until it was measured: 21 ms per GB */
#define FAULT_NS 1000     /* to copy one page, until it was measured */
#define PAGES_LEARN 4096  /* a copy of fewer says nothing of a large one */
#define PROBES 9          /* faults that are measured: the middle one counts */
#define RATE_NS 100000000u /* between two looks at the faults that the program has anyway */

#define TABLES_LEAST (8ul << 20)  /* of the smallest search */
#define TABLES_PYTHON (8ul << 20) /* and more of an interpreter */
#define PYTHON_SHARE 4            /* at most one part in this many of the memory for its tables */
#define NODE_MORE 8               /* bytes for each block beside its entry: the queue, posts */
#define PAGE_TABLE 16             /* bytes for each page: in the kernel, and in the search's own map */
#define WRITES_MOST (512ul << 20) /* that the program may write before the copy, which other work may have
                                   * kept waiting, has seen it */

static uint64_t page_ns = PAGE_NS, fault_ns = FAULT_NS;
static char *probes; /* pages of our own, to measure faults with */
static uint64_t began;
static struct {
    uint64_t time, faults;   /* at the last look */
    uint64_t rate, previous; /* before it, and before that */
} usual;

/* ---- faults ---- */

static uint64_t faults_now(void)
{
    struct rusage used;

    return syscall(SYS_getrusage, RUSAGE_SELF, &used) == 0 ? (uint64_t)used.ru_minflt : 0;
}

void cost_note_faults(uint64_t now)
{
    uint64_t faults;

    if (now - usual.time < RATE_NS)
        return;
    faults = faults_now();
    usual.previous = usual.rate;
    usual.rate = usual.time ? (faults - usual.faults) * 1000000 / ((now - usual.time) / 1000) : 0;
    usual.time = now;
    usual.faults = faults;
}

uint64_t cost_fault_rate(void)
{
    return usual.rate < usual.previous ? usual.rate : usual.previous;
}

uint64_t cost_of_faults(uint64_t faults)
{
    return faults * fault_ns;
}

uint64_t cost_faults_most(const struct cost *cost)
{
    const uint64_t most = FAULTS_MOST_NS / (fault_ns ? fault_ns : 1);

    return most < cost->faults_most ? most : cost->faults_most;
}

void cost_forked(void)
{
    usual.time = usual.faults = usual.rate = usual.previous = 0;
    probes = NULL; /* it may be shared with the parent still: another is cheap */
}

/* ---- measuring ---- */

static void touch_probes(void)
{
    for (unsigned i = 0; probes && i < PROBES; i++)
        __atomic_store_n(&probes[i * PAGE_BYTES], 1, __ATOMIC_RELAXED);
}

void cost_before_copy(void)
{
    if (!probes)
        probes = raw_map(PROBES * PAGE_BYTES);
    touch_probes();
    began = raw_worked();
}

/* The middle one of a few writes to pages that the copy has too. */
static void learn_fault(void)
{
    uint64_t took[PROBES];

    for (unsigned i = 0; i < PROBES; i++) {
        const uint64_t start = raw_now();
        unsigned at = i;
        uint64_t one;

        __atomic_store_n(&probes[i * PAGE_BYTES], 2, __ATOMIC_RELAXED);
        one = raw_now() - start;
        for (; at > 0 && took[at - 1] > one; at--)
            took[at] = took[at - 1];
        took[at] = one;
    }
    fault_ns = took[PROBES / 2];
}

void cost_after_copy(uint64_t pages)
{
    /* On a busy machine others' turns come between, which are not to be foreseen. */
    const uint64_t took = raw_worked() - began;

    if (pages >= PAGES_LEARN)
        page_ns = (page_ns + took / pages + 1) / 2;
    if (probes)
        learn_fault();
}

/* ---- predicting ---- */

/* Of /proc/self/statm: all resident pages and those that are files or shared. */
static bool read_pages(uint64_t *resident, uint64_t *shared)
{
    const int fd = quiet_open(AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    char text[128];
    const long length = fd < 0 ? 0 : quiet_read(fd, text, sizeof(text) - 1);
    uint64_t numbers[3] = {0};
    unsigned field = 0;

    if (fd >= 0)
        quiet_close(fd);
    for (long i = 0; i < length && field < 3; i++)
        if (text[i] >= '0' && text[i] <= '9')
            numbers[field] = numbers[field] * 10 + (uint64_t)(text[i] - '0');
        else
            field++;
    *resident = numbers[1];
    *shared = numbers[2];
    return length > 0 && numbers[1] > 0;
}

static uint64_t tables_of(const struct cost_ask *ask, uint64_t pages)
{
    return TABLES_LEAST + ask->blocks * (ask->block_bytes + NODE_MORE) +
           (ask->python ? TABLES_PYTHON + pages * PAGE_BYTES / PYTHON_SHARE : 0);
}

/* Every page may be written, and is then there twice. Of a large process the copy sees that in time. */
static uint64_t writes_of(uint64_t pages)
{
    return pages * PAGE_BYTES < WRITES_MOST ? pages * PAGE_BYTES : WRITES_MOST;
}

uint32_t cost_predict(struct cost *out, const struct cost_ask *ask)
{
    uint64_t shared = 0, tables, fixed, writes, left;

    *out = (struct cost){0};
    if (!read_pages(&out->resident, &shared))
        return 0; /* without /proc nothing is known, and the search will fail */
    out->pages = out->resident > shared ? out->resident - shared : 0;
    out->resident *= PAGE_BYTES;
    out->pause_ns = out->pages * page_ns;
    tables = tables_of(ask, out->pages);
    fixed = out->pages * PAGE_TABLE + COST_HEADROOM_LEAST;
    out->room = 2 * tables; /* arrays double when they grow; half of one is not touched */
    out->faults_most = UINT64_MAX;
    if (out->pause_ns > (ask->last ? PAUSE_MOST_LAST_NS : PAUSE_MOST_NS))
        return UNSEARCHED_pause;
    if (ask->headroom == 0)
        return 0;
    writes = ask->last ? 0 : writes_of(out->pages);
    if (ask->headroom < tables + fixed + writes)
        return UNSEARCHED_memory;
    left = ask->headroom - fixed;
    out->room = out->room < left - writes ? out->room : left - writes;
    if (writes < out->pages * PAGE_BYTES)
        out->faults_most = (left - tables) / 2 / PAGE_BYTES;
    return 0;
}
