/* site.c - see site.h.
 *
 * The peak by site costs nothing until a site changes: marking a peak only counts it up, and the
 * first change of a site after that first puts its weight, unchanged since the mark, aside.
 */
#include "probe/record/site.h"

#include "base/invariant.h"
#include "ledger/site_kind.h"
#include "ledger/table.h"
#include "probe/core/known.h"
#include "probe/core/own.h"
#include "probe/core/raw.h"

#define CACHE_SLOTS 2048
#define LATE_AGE 4 /* deaths from this age on are remembered one by one */

static struct known *known; /* sites by key; private pages, empty in a child; NULL: no cache */

static uint64_t made;        /* atomic: sites in use */
static uint64_t total;       /* atomic: weight of all sites */
static uint64_t peak_level;  /* atomic: the total that makes a look worth while */
static uint64_t peak_exact;  /* bytes at the last mark; with `looking` held */
static uint8_t looking;      /* atomic */
static uint64_t peak_number; /* atomic: marks so far */
static uint64_t device_peaks; /* atomic: the same of devices' memory */

static struct site_record *sites_of(const struct ledger *ledger)
{
    return ledger_records(ledger, SECTION_sites);
}

/* 0: no room in the window. Slots are never given back, so the first free one ends the search. */
static uint32_t find_in(struct site_record *sites, uint64_t window, uint64_t key)
{
    for (uint64_t i = window; i < window + TABLE_WINDOW; i++) {
        uint64_t seen = __atomic_load_n(&sites[i].key, __ATOMIC_ACQUIRE);

        if (seen == 0 && __atomic_compare_exchange_n(&sites[i].key, &seen, key, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            (void)__atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
        if (seen == 0 || seen == key)
            return (uint32_t)i + 1;
    }
    return 0;
}

void site_setup(void)
{
    known = own_map(CACHE_SLOTS * sizeof(*known));
}

static struct known *cache_slot(uint64_t hash)
{
    return known ? &known[(hash >> 20) & (CACHE_SLOTS - 1)] : NULL;
}

static uint32_t look_up(struct ledger *ledger, uint64_t key, uint64_t hash)
{
    struct section_entry *entry = ledger_entry(ledger, SECTION_sites);
    uint64_t start = 0, size = START_sites;

    for (;;) {
        const uint64_t used = __atomic_load_n(&entry->used, __ATOMIC_ACQUIRE);

        for (; start + size <= used; table_next(&start, &size)) {
            const uint32_t site =
                find_in(sites_of(ledger), table_window(hash, start, size), key);

            if (site)
                return site;
        }
        if (!table_grow(ledger, SECTION_sites, 0, used)) {
            ledger_lose(ledger, LOST_sites_full, 1);
            return 0;
        }
    }
}

uint32_t site_find(struct ledger *ledger, uint32_t stack, unsigned class_index,
                   enum site_kind kind)
{
    const uint64_t key = (uint64_t)stack << 16 | (uint64_t)class_index << 8 | kind;
    const uint64_t hash = table_hash(key);
    struct known *slot = cache_slot(hash);
    uint64_t site = known_get(slot, key);

    INVARIANT(class_index < 256 && kind < 256);
    if (site)
        return (uint32_t)site;
    site = look_up(ledger, key, hash);
    known_put(slot, key, site);
    return (uint32_t)site;
}

static void keep_peak(struct site_record *site)
{
    const uint64_t *number = site_is_device(site->key & 0xff) ? &device_peaks : &peak_number;
    const uint64_t now = __atomic_load_n(number, __ATOMIC_ACQUIRE);
    uint64_t seen = __atomic_load_n(&site->peak, __ATOMIC_RELAXED);

    if (seen == now || !__atomic_compare_exchange_n(&site->peak, &seen, now, false,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&site->peak_weight,
                     __atomic_load_n(&site->born_weight, __ATOMIC_RELAXED) -
                         __atomic_load_n(&site->dead_weight, __ATOMIC_RELAXED),
                     __ATOMIC_RELEASE);
}

/* What an adapter reports lies in memory that is counted already, and a device has memory of its own. */
static bool is_beside(const struct site_record *site)
{
    const uint32_t kind = site->key & 0xff;

    return site_is_reported(kind) || kind == SITE_SCRIPT || site_is_device(kind);
}

void site_born(struct ledger *ledger, uint32_t number, uint64_t weight, uint64_t ordinal)
{
    struct site_record *site;

    INVARIANT(number <= ledger_entry(ledger, SECTION_sites)->used);
    if (!number || !is_beside(&sites_of(ledger)[number - 1]))
        (void)__atomic_add_fetch(&total, weight, __ATOMIC_RELAXED);
    if (!number)
        return;
    site = &sites_of(ledger)[number - 1];
    keep_peak(site);
    if (__atomic_add_fetch(&site->births, 1, __ATOMIC_RELAXED) == 1)
        site->first = ordinal;
    __atomic_store_n(&site->last, ordinal, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&site->born_weight, weight, __ATOMIC_RELAXED);
}

static void remember_death(struct ledger *ledger, uint32_t site, const struct block_record *block,
                           uint64_t death)
{
    struct section_entry *entry = ledger_entry(ledger, SECTION_deaths);
    struct death_record *ring = ledger_records(ledger, SECTION_deaths);
    uint64_t index;

    if (__atomic_load_n(&entry->taken, __ATOMIC_ACQUIRE) < entry->capacity &&
        !ledger_take(ledger, SECTION_deaths, entry->capacity)) {
        ledger_lose(ledger, LOST_deaths_full, 1);
        return;
    }
    index = __atomic_fetch_add(&entry->used, 1, __ATOMIC_ACQ_REL) % entry->capacity;
    ring[index] = (struct death_record){
        .birth = block->birth,
        .death = death,
        .site = site,
        .size = block->size < UINT32_MAX ? (uint32_t)block->size : UINT32_MAX};
}

void site_died(struct ledger *ledger, uint32_t number, const struct block_record *block,
               uint64_t ordinal)
{
    const uint64_t age = ordinal > block->birth ? ordinal - block->birth : 0;
    const unsigned bucket = age ? 64u - (unsigned)__builtin_clzll(age) : 0;
    struct site_record *site;

    INVARIANT(number <= ledger_entry(ledger, SECTION_sites)->used);
    if (!number || !is_beside(&sites_of(ledger)[number - 1]))
        (void)__atomic_sub_fetch(&total, block->weight, __ATOMIC_RELAXED);
    if (!number)
        return;
    site = &sites_of(ledger)[number - 1];
    keep_peak(site);
    (void)__atomic_add_fetch(&site->deaths, 1, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&site->dead_weight, block->weight, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&site->ages[bucket < LEDGER_AGES ? bucket : LEDGER_AGES - 1], 1,
                             __ATOMIC_RELAXED);
    if (age >= LATE_AGE)
        remember_death(ledger, number, block, ordinal);
}

static void leave_site(struct ledger *ledger, uint32_t number, uint64_t weight, bool counted)
{
    struct site_record *site = &sites_of(ledger)[number - 1];

    keep_peak(site);
    (void)__atomic_add_fetch(&site->dead_weight, weight, __ATOMIC_RELAXED);
    if (counted)
        (void)__atomic_add_fetch(&site->deaths, 1, __ATOMIC_RELAXED);
}

void site_moved(struct ledger *ledger, const struct block_record *block, uint32_t number,
                uint64_t weight)
{
    const bool elsewhere = number != block->site;
    struct site_record *site;

    INVARIANT(number <= ledger_entry(ledger, SECTION_sites)->used);
    (void)__atomic_add_fetch(&total, weight - block->weight, __ATOMIC_RELAXED);
    if (block->site)
        leave_site(ledger, block->site, block->weight, elsewhere);
    if (!number)
        return;
    site = &sites_of(ledger)[number - 1];
    keep_peak(site);
    (void)__atomic_add_fetch(&site->born_weight, weight, __ATOMIC_RELAXED);
    if (elsewhere && __atomic_add_fetch(&site->births, 1, __ATOMIC_RELAXED) == 1)
        site->first = block->birth;
    if (elsewhere && site->last < block->birth)
        __atomic_store_n(&site->last, block->birth, __ATOMIC_RELAXED);
}

uint32_t site_stack(const struct ledger *ledger, uint32_t number)
{
    return (uint32_t)(sites_of(ledger)[number - 1].key >> 16);
}

/* ---- the peak ---- */

bool site_peak_likely(void)
{
    return __atomic_load_n(&total, __ATOMIC_RELAXED) >
           __atomic_load_n(&peak_level, __ATOMIC_RELAXED);
}

static void mark(struct ledger *ledger, const struct site_look *look)
{
    struct peak_record *peak = ledger_records(ledger, SECTION_peak);

    (void)__atomic_add_fetch(&peak->sequence, 1, __ATOMIC_ACQ_REL);
    peak->time = raw_now();
    peak->ordinal = look->ordinal;
    peak->weight = __atomic_load_n(&total, __ATOMIC_RELAXED);
    peak->live_bytes = look->live_bytes;
    peak->mapped_bytes = look->mapped_bytes;
    peak->resident = look->resident;
    peak->number = __atomic_add_fetch(&peak_number, 1, __ATOMIC_ACQ_REL);
    (void)__atomic_add_fetch(&peak->sequence, 1, __ATOMIC_ACQ_REL);
}

/* Weights are estimates: they only say when to look. The next look is due when they have grown by
 * what is missing to the peak and a few percent more. */
void site_peak_look(struct ledger *ledger, const struct site_look *look)
{
    const uint64_t exact = look->live_bytes + look->mapped_bytes;
    uint64_t highest;

    if (__atomic_test_and_set(&looking, __ATOMIC_ACQUIRE))
        return;
    if (exact > peak_exact + peak_exact / 32 + 4096) {
        peak_exact = exact;
        mark(ledger, look);
    }
    highest = peak_exact > exact ? peak_exact - exact : 0;
    __atomic_store_n(&peak_level,
                     __atomic_load_n(&total, __ATOMIC_RELAXED) + highest + peak_exact / 32 + 65536,
                     __ATOMIC_RELAXED);
    __atomic_clear(&looking, __ATOMIC_RELEASE);
}

void site_mark_device_peak(void)
{
    (void)__atomic_add_fetch(&device_peaks, 1, __ATOMIC_ACQ_REL);
}

uint64_t site_device_peaks(void)
{
    return __atomic_load_n(&device_peaks, __ATOMIC_RELAXED);
}

uint64_t site_count(void)
{
    return __atomic_load_n(&made, __ATOMIC_RELAXED);
}

void site_forked(void)
{
    made = 0;
    total = peak_level = peak_exact = peak_number = device_peaks = 0;
    looking = 0;
}
