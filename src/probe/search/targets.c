/* targets.c - see targets.h. */
#include "probe/search/targets.h"

#include "ledger/mailbox.h"
#include "ledger/site_kind.h"

#define YOUNG_PART 4  /* a block is young if it was made in the last quarter of its site's time */
#define YOUNG_EVERY 8 /* one young block in this many is a target */
#define OLD_LEAST 3   /* where fewer are old, all are targets */
#define CONTROL_AGE 2 /* a control is older than half of the run */

_Static_assert(SEARCH_SITES == MAILBOX_SITES, "whatever is asked has its place");

struct choice {
    struct search_task *task;
    uint64_t now;                     /* ordinal */
    unsigned count;                   /* sites of the request */
    uint32_t numbers[SEARCH_SITES];   /* index + 1 */
    bool maps[SEARCH_SITES], device[SEARCH_SITES]; /* as in struct search_site */
    uint64_t first[SEARCH_SITES];     /* birth of the site's oldest block; UINT64_MAX: it has none */
    uint32_t young[SEARCH_SITES];     /* kept at the end of the site's targets */
    struct search_site *to[SEARCH_SITES]; /* NULL: the site has no block */
};

typedef void survivor_fn(struct choice *choice, const struct search_target *one, uint32_t site);

static void each_block(const struct ledger *ledger, survivor_fn *fn, struct choice *choice)
{
    const uint64_t used = __atomic_load_n(&ledger_entry(ledger, SECTION_live)->used, __ATOMIC_ACQUIRE);
    const struct live_key *keys = ledger_records(ledger, SECTION_live);
    const struct block_record *blocks = ledger_records(ledger, SECTION_blocks);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t address = __atomic_load_n(&keys[i].address, __ATOMIC_ACQUIRE);

        if (address > 1)
            fn(choice, &(struct search_target){address, address + blocks[i].size, blocks[i].birth},
               blocks[i].site);
    }
}

static void each_map(const struct ledger *ledger, survivor_fn *fn, struct choice *choice)
{
    const uint64_t used = __atomic_load_n(&ledger_entry(ledger, SECTION_maps)->used, __ATOMIC_ACQUIRE);
    const struct map_record *maps = ledger_records(ledger, SECTION_maps);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t start = __atomic_load_n(&maps[i].start, __ATOMIC_ACQUIRE);

        if (start)
            fn(choice, &(struct search_target){start, start + maps[i].length, maps[i].birth},
               maps[i].site);
    }
}

static void each_survivor(const struct ledger *ledger, survivor_fn *fn, struct choice *choice)
{
    each_block(ledger, fn, choice);
    each_map(ledger, fn, choice);
}

/* ---- the sites ---- */

/* The site's place in the request; the number of sites if it is not in the request. */
static unsigned place_of(const struct choice *choice, uint32_t site)
{
    unsigned at = 0;

    while (at < choice->count && choice->numbers[at] != site)
        at++;
    return at;
}

static void add_number(struct choice *choice, const struct ledger *ledger, uint32_t number)
{
    const struct site_record *records = ledger_records(ledger, SECTION_sites);
    uint64_t kind;

    if (number == 0 || number > ledger_entry(ledger, SECTION_sites)->used ||
        place_of(choice, number) < choice->count)
        return;
    kind = records[number - 1].key & 0xff;
    choice->device[choice->count] = site_is_device((uint32_t)kind);
    choice->maps[choice->count] = kind != SITE_HEAP && kind != SITE_OBJECT && !site_is_device((uint32_t)kind);
    choice->first[choice->count] = UINT64_MAX;
    choice->numbers[choice->count++] = number;
}

static void find_oldest(struct choice *choice, const struct search_target *one, uint32_t site)
{
    const unsigned at = place_of(choice, site);

    if (at < choice->count && one->birth < choice->first[at])
        choice->first[at] = one->birth;
}

static void take_places(struct choice *choice)
{
    struct search_task *task = choice->task;

    for (unsigned i = 0; i < choice->count; i++) {
        struct search_site *site = &task->sites[task->site_count];

        if (choice->first[i] == UINT64_MAX)
            continue;
        site->number = choice->numbers[i];
        site->maps = choice->maps[i];
        site->device = choice->device[i];
        site->count = 0;
        choice->to[i] = site;
        task->site_count++;
    }
}

/* ---- the blocks ---- */

static bool is_young(const struct choice *choice, unsigned at, uint64_t birth)
{
    const uint64_t first = choice->first[at], now = choice->now > first ? choice->now : first;

    return birth > now - (now - first) / YOUNG_PART;
}

/* Old blocks from the front, young ones from the back; where they meet, the old ones win. */
static void add_target(struct choice *choice, const struct search_target *one, uint32_t site)
{
    const unsigned at = place_of(choice, site);
    struct search_site *to = at < choice->count ? choice->to[at] : NULL;

    if (!to || to->count == SEARCH_TARGETS)
        return;
    if (!is_young(choice, at, one->birth)) {
        to->targets[to->count++] = *one;
        if (choice->young[at] > SEARCH_TARGETS - to->count)
            choice->young[at] = SEARCH_TARGETS - to->count;
    } else if (choice->young[at] < SEARCH_TARGETS - to->count) {
        to->targets[SEARCH_TARGETS - ++choice->young[at]] = *one;
    }
}

/* A few of the young ones come to the old ones; all of them where hardly any are old. */
static void settle_young(struct choice *choice)
{
    for (unsigned i = 0; i < choice->count; i++) {
        struct search_site *to = choice->to[i];
        const uint32_t step = to && to->count >= OLD_LEAST ? YOUNG_EVERY : 1;

        for (uint32_t y = 1; to && y <= choice->young[i]; y += step)
            if (to->count <= SEARCH_TARGETS - y)
                to->targets[to->count++] = to->targets[SEARCH_TARGETS - y];
    }
}

static void add_control(struct choice *choice, const struct search_target *one, uint32_t site)
{
    struct search_task *task = choice->task;
    const struct site_record *records = ledger_records(task->ledger, SECTION_sites);

    if (task->control_count < SEARCH_CONTROLS && site > 0 && one->birth * CONTROL_AGE <= choice->now &&
        (records[site - 1].key & 0xff) == SITE_HEAP && place_of(choice, site) == choice->count)
        task->controls[task->control_count++] = one->start;
}

void targets_choose(struct search_task *task, const struct ledger *ledger, const uint64_t argument[4],
                    uint64_t now)
{
    struct choice choice = {.task = task, .now = now};

    task->site_count = task->control_count = 0;
    for (unsigned i = 0; i < MAILBOX_SITES; i++)
        add_number(&choice, ledger, mailbox_site(argument, i));
    if (choice.count == 0)
        return;
    each_survivor(ledger, find_oldest, &choice);
    take_places(&choice);
    each_survivor(ledger, add_target, &choice);
    settle_young(&choice);
    each_block(ledger, add_control, &choice);
}
