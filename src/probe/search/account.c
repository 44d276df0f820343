/* account.c - see account.h. */
#include "probe/search/account.h"

#include "ledger/writer.h"
#include "probe/copy/heap_walk_pure.h"
#include "probe/copy/regions.h"
#include "probe/record/pool.h"

#define PAGE 4096ul

/* [start, end) of a block; one that is a framework's pool, or describes it, is the pool's. */
static void count_block(struct resident_record *account, uintptr_t block, uintptr_t start,
                        uintptr_t end)
{
    const uint64_t resident = regions_resident(start, end);

    if (pool_holds(block)) {
        account->pool += resident;
        account->pool_untouched += end - start - resident;
        return;
    }
    account->heap_used += resident;
    account->heap_untouched += end - start - resident;
    account->heap_blocks++;
}

static void count_used(const struct chunk *chunk, void *context)
{
    struct resident_record *account = context;
    const uintptr_t start = chunk->start - 8, end = chunk->end - 8; /* its header and itself */
    count_block(account, chunk->start, start, end);
}

static void count_heap(struct resident_record *account, const struct region *region)
{
    const uint64_t before = account->heap_used + account->pool;
    const uintptr_t end = regions_heap_end(region);

    (void)heap_walk(region->start, end, 1, count_used, account);
    account->heap_free +=
        regions_resident(region->start, region->end) -
        (account->heap_used + account->pool - before);
}

/* Large blocks have a mapping each; the pages between them are something else. */
static void count_memory(struct resident_record *account, const struct region *region)
{
    for (uintptr_t at = region->start; at < region->end;) {
        struct chunk chunk;

        if (regions_page_present(at) && heap_mapped_chunk(at, region->end, &chunk)) {
            count_block(account, chunk.start, at, chunk.end);
            at = chunk.end;
        } else if (pool_holds(at)) {
            const uint64_t resident = regions_resident(at, at + PAGE);

            account->pool += resident;
            account->pool_untouched += PAGE - resident;
            at += PAGE;
        } else {
            account->mapped += regions_resident(at, at + PAGE);
            at += PAGE;
        }
    }
}

/* For each mapping that the code of a known module made. A mapping made during the count reports
 * 0. */
static void count_maps(struct ledger *ledger)
{
    const uint64_t used =
        __atomic_load_n(&ledger_entry(ledger, SECTION_maps)->used, __ATOMIC_ACQUIRE);
    struct map_record *maps = ledger_records(ledger, SECTION_maps);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t start = __atomic_load_n(&maps[i].start, __ATOMIC_ACQUIRE);

        if (start && maps[i].unit && maps[i].kind == SITE_MAP)
            __atomic_store_n(&maps[i].resident, regions_resident(start, start + maps[i].length),
                             __ATOMIC_RELEASE);
    }
}

void account_take(const struct graph *graph)
{
    struct resident_record *account = graph->task->account;

    for (size_t i = 0; i < graph->regions.count; i++) {
        const struct region *region = &graph->regions.list[i];
        const bool whole = region->kind != REGION_HEAP && region->kind != REGION_CONSTANT;
        const uint64_t resident = whole ? regions_resident(region->start, region->end) : 0;

        switch (region->kind) {
        case REGION_HEAP:
            count_heap(account, region);
            break;
        case REGION_MEMORY:
            count_memory(account, region);
            break;
        case REGION_STACK:
            account->stacks += resident;
            break;
        case REGION_PROBE:
            account->probe += resident;
            break;
        case REGION_MODULE:
        case REGION_SYSTEM:
            account->modules += resident;
            break;
        case REGION_CONSTANT:
            break;
        }
    }
    count_maps(graph->task->ledger);
    __atomic_store_n(&account->state, HOLDER_DONE, __ATOMIC_RELEASE);
}
