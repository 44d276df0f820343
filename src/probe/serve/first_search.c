/* first_search.c - see first_search.h. */
#include "probe/serve/first_search.h"

#include <stddef.h>

#include "ledger/mailbox.h"

#define FIRST_AT 24   /* step of the first search; then each time their number has doubled */
#define LAST_AT 768   /* step of the last one: the doctor has come by then */
#define RECORDS 24    /* at least; there may be several to a step */
#define BUCKETS 32    /* of records; when all are in use, two become one */
#define QUARTERS 4    /* of the time so far; memory rises if each one's least is higher */
#define RISE 768      /* a quarter's least must be higher by this many bytes */
#define SEARCHES 3
#define AGAIN 4       /* times as many steps as at a search: another is due, which may see more */
#define STAY_MIN 3    /* blocks of a site that stayed: enough to search for */
#define LARGE (64 * 1024) /* bytes: enough even in one block, for a container may hold everything */

static uint64_t least[BUCKETS]; /* live bytes at the records of each bucket */
static uint64_t width = 1;      /* records to a bucket */
static uint64_t records;        /* seen */
static uint64_t steps;          /* of the clock that ticks most */
static uint64_t first_ordinal;  /* step ordinal of the first of them */
static uint64_t last_ordinal;   /* step ordinal of the latest of them */
static uint64_t due_at = FIRST_AT;
static unsigned searches;

void first_search_forked(void)
{
    records = steps = first_ordinal = last_ordinal = 0;
    width = 1;
    due_at = FIRST_AT;
    searches = 0;
}

static void merge_pairs(void)
{
    for (unsigned i = 0; i < BUCKETS / 2; i++)
        least[i] = least[2 * i] < least[2 * i + 1] ? least[2 * i] : least[2 * i + 1];
    width *= 2;
}

void first_search_step(uint64_t ordinal, uint64_t count, uint64_t live_bytes)
{
    uint64_t *bucket;

    if (records == 0)
        first_ordinal = ordinal;
    if (records == BUCKETS * width)
        merge_pairs();
    bucket = &least[records / width];
    if (records % width == 0 || live_bytes < *bucket)
        *bucket = live_bytes;
    records++;
    steps = count;
    last_ordinal = ordinal;
}

/* Clocks tick at different places of the same step: only the lowest of several ticks counts. */
static bool rises(void)
{
    const unsigned quarter = (unsigned)(records / width) / QUARTERS;
    uint64_t before = 0;

    for (unsigned q = 0; q < QUARTERS; q++) {
        uint64_t lowest = UINT64_MAX;

        for (unsigned i = 0; i < quarter; i++)
            if (least[q * quarter + i] < lowest)
                lowest = least[q * quarter + i];
        if (q > 0 && lowest < before + RISE)
            return false;
        before = lowest;
    }
    return true;
}

struct stay {
    uint32_t site; /* index + 1 */
    uint64_t weight;
};

/* What was made in these steps, up to the latest, and is still there. What made its last block in the older
 * half of them was set up; but a loop's first block is there before its first step is. */
static uint64_t stayed(const struct site_record *site)
{
    const uint64_t births = __atomic_load_n(&site->births, __ATOMIC_RELAXED);
    const uint64_t deaths = __atomic_load_n(&site->deaths, __ATOMIC_RELAXED);
    const uint64_t born = __atomic_load_n(&site->born_weight, __ATOMIC_RELAXED);
    const uint64_t dead = __atomic_load_n(&site->dead_weight, __ATOMIC_RELAXED);
    const uint64_t key = __atomic_load_n(&site->key, __ATOMIC_ACQUIRE);
    const uint64_t last = __atomic_load_n(&site->last, __ATOMIC_RELAXED);

    if (key == 0 || (key & 0xff) != SITE_HEAP ||
        last < first_ordinal + (last_ordinal - first_ordinal) / 2 ||
        births <= deaths || born <= dead || (births < deaths + STAY_MIN && born < dead + LARGE))
        return 0;
    return born - dead;
}

static void keep_largest(struct stay stays[MAILBOX_SITES], size_t *used, struct stay one)
{
    size_t at = *used;

    if (*used < MAILBOX_SITES)
        (*used)++;
    else if (stays[at - 1].weight >= one.weight)
        return;
    else
        at--;
    for (; at > 0 && stays[at - 1].weight < one.weight; at--)
        stays[at] = stays[at - 1];
    stays[at] = one;
}

static size_t choose(struct ledger *ledger, uint32_t sites[MAILBOX_SITES])
{
    const uint64_t used =
        __atomic_load_n(&ledger_entry(ledger, SECTION_sites)->used, __ATOMIC_ACQUIRE);
    const struct site_record *all = ledger_records(ledger, SECTION_sites);
    struct stay stays[MAILBOX_SITES];
    size_t count = 0;

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t weight = stayed(&all[i]);

        if (weight > 0)
            keep_largest(stays, &count, (struct stay){(uint32_t)i + 1, weight});
    }
    for (size_t i = 0; i < count; i++)
        sites[i] = stays[i].site;
    return count;
}

bool first_search_ripe(void)
{
    return steps >= due_at && records >= RECORDS && due_at <= LAST_AT && searches < SEARCHES;
}

bool first_search_due(struct ledger *ledger, uint64_t argument[4])
{
    uint32_t sites[MAILBOX_SITES];
    size_t count;

    if (!first_search_ripe())
        return false;
    due_at *= 2;
    count = rises() ? choose(ledger, sites) : 0;
    if (count == 0)
        return false;
    due_at *= AGAIN / 2;
    searches++;
    mailbox_put_sites(argument, sites, count);
    return true;
}
