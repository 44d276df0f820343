/* search.c - see search.h. */
#include "probe/search.h"

#include <string.h>

#include "probe/heap_walk_pure.h"
#include "probe/raw.h"
#include "probe/regions.h"

#define PAGE 4096ul
#define ARENA_ALIGN (64ul << 20) /* where glibc puts the heaps of its further arenas */
#define REGIONS_MAX 16384
#define FROM_ROOT UINT32_MAX

/* A block that can be reached, and how it was. Index 0 is not used. */
struct nodes {
    uintptr_t *start, *end; /* by address */
    uintptr_t *where;       /* address of the pointer that reached it first */
    uint32_t *from;         /* node that pointer lies in, or FROM_ROOT; 0: not reached */
    uint8_t *root;          /* enum root_kind, for those reached from a root */
    uint32_t count, room;
    uint32_t *queue;
    uint32_t head, tail;
};

struct search {
    struct search_task *task;
    struct regions regions;
    struct nodes nodes;
    uint64_t scanned;
};

/* ---- the nodes: all blocks of the heap ---- */

static void add_node(const struct chunk *chunk, void *context)
{
    struct nodes *nodes = context;

    if (nodes->start && nodes->count + 1 < nodes->room) {
        nodes->start[nodes->count + 1] = chunk->start;
        nodes->end[nodes->count + 1] = chunk->end;
    }
    nodes->count++;
}

static const struct search_target *mapped_target(const struct search *search, uintptr_t at)
{
    for (unsigned s = 0; s < search->task->site_count; s++) {
        const struct search_site *site = &search->task->sites[s];

        for (uint32_t i = 0; site->maps && i < site->count; i++)
            if (site->targets[i].start == at)
                return &site->targets[i];
    }
    return NULL;
}

/* Large blocks and mappings searched for, page by page; `fn` gets nodes, `rest` what is neither. */
static void split_memory(struct search *search, const struct region *region,
                         void (*rest)(struct search *, uintptr_t, uintptr_t, enum root_kind),
                         bool nodes_too)
{
    uintptr_t at = region->start;

    while (at < region->end) {
        const struct search_target *target = mapped_target(search, at);
        struct chunk chunk = {0, 0};
        uintptr_t next = at + PAGE;

        if (target)
            chunk = (struct chunk){target->start, target->end};
        else if (!regions_page_present(at) || !heap_mapped_chunk(at, region->end, &chunk))
            chunk.end = 0;
        if (chunk.end) {
            next = chunk.end;
            if (nodes_too)
                add_node(&chunk, &search->nodes);
        } else if (rest && regions_page_present(at) &&
                   (at < search->task->skip_start || at >= search->task->skip_end)) {
            rest(search, at, next, ROOT_MEMORY);
        }
        at = next;
    }
}

static uintptr_t arena_end(const struct region *region)
{
    const size_t size = ((const size_t *)region->start)[2]; /* heap_info.size */

    return size % PAGE == 0 && size > 0 && size <= region->end - region->start
               ? region->start + size
               : region->end;
}

/* Decides once which regions are heaps, and counts or collects the blocks in them. */
static void collect(struct search *search)
{
    search->nodes.count = 0;
    for (size_t i = 0; i < search->regions.count; i++) {
        struct region *region = &search->regions.list[i];

        if (region->kind == REGION_HEAP) {
            const uintptr_t end =
                region->start % ARENA_ALIGN == 0 ? arena_end(region) : region->end;

            (void)heap_walk(region->start, end, 1, add_node, &search->nodes);
        } else if (region->kind == REGION_MEMORY) {
            split_memory(search, region, NULL, true);
        }
    }
}

/* A heap of a further arena begins with a pointer to the arena's record, which lies at the start of
 * the arena's first heap. One that was given back whole is a single free chunk. */
static bool is_arena(const struct region *region)
{
    const uintptr_t arena = *(const uintptr_t *)region->start;

    return arena % ARENA_ALIGN < PAGE && arena % ARENA_ALIGN >= 16 && arena > ARENA_ALIGN &&
           heap_walk(region->start, arena_end(region), 1, NULL, NULL);
}

static void find_arenas(struct search *search)
{
    for (size_t i = 0; i < search->regions.count; i++) {
        struct region *region = &search->regions.list[i];

        if (region->kind == REGION_MEMORY && region->start % ARENA_ALIGN == 0 &&
            regions_page_present(region->start) && is_arena(region))
            region->kind = REGION_HEAP;
    }
}

static bool make_nodes(struct search *search)
{
    struct nodes *nodes = &search->nodes;
    size_t room;

    collect(search); /* counts */
    room = (size_t)nodes->count + 2;
    if (room > UINT32_MAX / 2)
        return false;
    nodes->room = (uint32_t)room;
    nodes->start = raw_map(room * sizeof(uintptr_t));
    nodes->end = raw_map(room * sizeof(uintptr_t));
    nodes->where = raw_map(room * sizeof(uintptr_t));
    nodes->from = raw_map(room * sizeof(uint32_t));
    nodes->root = raw_map(room);
    nodes->queue = raw_map(room * sizeof(uint32_t));
    if (!nodes->start || !nodes->end || !nodes->where || !nodes->from || !nodes->root ||
        !nodes->queue)
        return false;
    collect(search);
    return nodes->count > 0 && nodes->count + 1 < nodes->room + 1;
}

/* The node that holds this address; 0: none. Regions came in order, so nodes are sorted. The last
 * word of a block is also where the next chunk's header begins, to which the allocator points. */
static uint32_t find_node(const struct nodes *nodes, uintptr_t address)
{
    uint32_t low = 1, high = nodes->count;

    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;

        if (nodes->start[middle] <= address)
            low = middle;
        else
            high = middle - 1;
    }
    return nodes->count && nodes->start[low] <= address && address + 8 < nodes->end[low]
               ? low
               : 0;
}

/* ---- marking ---- */

static void reach(struct nodes *nodes, uint32_t node, uint32_t from, uintptr_t where,
                  enum root_kind root)
{
    if (nodes->from[node])
        return;
    nodes->from[node] = from;
    nodes->where[node] = where;
    nodes->root[node] = (uint8_t)root;
    nodes->queue[nodes->tail++] = node;
}

static void scan(struct search *search, uintptr_t start, uintptr_t end, uint32_t from,
                 enum root_kind root)
{
    struct nodes *nodes = &search->nodes;
    const uintptr_t low = nodes->start[1], span = nodes->end[nodes->count] - low;

    for (uintptr_t at = (start + 7) & ~7ul; at + 8 <= end; at += 8) {
        const uintptr_t value = *(const uintptr_t *)at;
        uint32_t node;

        if (value - low >= span)
            continue;
        node = find_node(nodes, value);
        if (node)
            reach(nodes, node, from, at, root);
    }
    search->scanned += end - start;
}

static void scan_root(struct search *search, uintptr_t start, uintptr_t end, enum root_kind root)
{
    for (uintptr_t page = start; page < end; page = (page & ~(PAGE - 1)) + PAGE) {
        const uintptr_t last = (page & ~(PAGE - 1)) + PAGE;

        if (regions_page_present(page))
            scan(search, page, last < end ? last : end, FROM_ROOT, root);
    }
}

/* Everything that is reached leads on, until nothing new is. */
static void follow(struct search *search)
{
    struct nodes *nodes = &search->nodes;

    while (nodes->head < nodes->tail) {
        const uint32_t node = nodes->queue[nodes->head++];

        for (uintptr_t page = nodes->start[node]; page < nodes->end[node];
             page = (page & ~(PAGE - 1)) + PAGE) {
            const uintptr_t last = (page & ~(PAGE - 1)) + PAGE;

            if (regions_page_present(page))
                scan(search, page, last < nodes->end[node] ? last : nodes->end[node], node,
                     ROOT_NONE);
        }
    }
}

static void mark_kind(struct search *search, enum region_kind kind, enum root_kind root)
{
    for (size_t i = 0; i < search->regions.count; i++) {
        const struct region *region = &search->regions.list[i];
        uintptr_t start = region->start;

        if (region->kind != kind)
            continue;
        if (kind == REGION_STACK && search->task->own_stack_low > region->start &&
            search->task->own_stack_low < region->end)
            start = search->task->own_stack_low; /* below it is what has returned */
        if (kind == REGION_MEMORY)
            split_memory(search, region, scan_root, false);
        else
            scan_root(search, start, region->end, root);
    }
    follow(search);
}

static void mark_all(struct search *search)
{
    mark_kind(search, REGION_MODULE, ROOT_MODULE);
    mark_kind(search, REGION_MEMORY, ROOT_MEMORY);
    mark_kind(search, REGION_STACK, ROOT_STACK);
}

/* ---- answers ---- */

/* The root that a node hangs from. */
static uint32_t topmost(const struct nodes *nodes, uint32_t node, uint32_t *depth)
{
    *depth = 1;
    while (nodes->from[node] != FROM_ROOT) {
        node = nodes->from[node];
        (*depth)++;
    }
    return node;
}

static void write_path(struct holder_record *answer, const struct nodes *nodes, uint32_t node)
{
    uint32_t depth, at = node;

    (void)topmost(nodes, node, &depth);
    answer->depth = depth;
    for (uint32_t i = depth - 1; i > 0; i--) { /* pointers inside blocks, innermost last */
        const uint32_t holder = nodes->from[at];

        if (i <= HOLDER_PATH)
            answer->path[i - 1] = (uint32_t)(nodes->where[at] - nodes->start[holder]);
        at = holder;
    }
}

/* Roots are tallied by kind; the most common one's first pointer names it. */
static void answer_site(const struct search *search, struct search_site *site)
{
    const struct nodes *nodes = &search->nodes;
    struct holder_record *answer = site->answer;
    uint32_t tally[ROOT_STACK + 1] = {0}, first[ROOT_STACK + 1] = {0}, depth;
    unsigned best = ROOT_NONE;

    for (uint32_t i = 0; i < site->count; i++) {
        const uint32_t node = find_node(nodes, site->targets[i].start);
        unsigned root;

        if (!node || !nodes->from[node])
            continue;
        root = nodes->root[topmost(nodes, node, &depth)];
        answer->reached++;
        if (root <= ROOT_STACK && tally[root]++ == 0)
            first[root] = node;
    }
    for (unsigned root = ROOT_MODULE; root <= ROOT_STACK; root++)
        if (tally[root] > tally[best])
            best = root;
    answer->targets = site->count;
    answer->root = best;
    answer->through = tally[best];
    answer->scanned = search->scanned;
    if (best != ROOT_NONE) {
        answer->offset = nodes->where[topmost(nodes, first[best], &depth)];
        write_path(answer, nodes, first[best]);
    }
}

/* ---- the account ---- */

static void count_used(const struct chunk *chunk, void *context)
{
    struct resident_record *account = context;
    const uintptr_t start = chunk->start - 8, end = chunk->end - 8; /* its header and itself */
    const uint64_t resident = regions_resident(start, end);

    account->heap_used += resident;
    account->heap_untouched += end - start - resident;
    account->heap_blocks++;
}

static void count_heap(struct resident_record *account, const struct region *region)
{
    const uint64_t before = account->heap_used;
    const uintptr_t end = region->start % ARENA_ALIGN == 0 ? arena_end(region) : region->end;

    (void)heap_walk(region->start, end, 1, count_used, account);
    account->heap_free +=
        regions_resident(region->start, region->end) - (account->heap_used - before);
}

/* Large blocks have a mapping each; the pages between them are something else. */
static void count_memory(struct resident_record *account, const struct region *region)
{
    for (uintptr_t at = region->start; at < region->end;) {
        struct chunk chunk;

        if (regions_page_present(at) && heap_mapped_chunk(at, region->end, &chunk)) {
            const uint64_t resident = regions_resident(at, chunk.end);

            account->heap_used += resident;
            account->heap_untouched += chunk.end - at - resident;
            account->heap_blocks++;
            at = chunk.end;
        } else {
            account->mapped += regions_resident(at, at + PAGE);
            at += PAGE;
        }
    }
}

static void take_account(const struct search *search)
{
    struct resident_record *account = search->task->account;

    for (size_t i = 0; i < search->regions.count; i++) {
        const struct region *region = &search->regions.list[i];
        const uint64_t resident =
            region->kind == REGION_HEAP ? 0 : regions_resident(region->start, region->end);

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
        }
    }
    __atomic_store_n(&account->state, HOLDER_DONE, __ATOMIC_RELEASE);
}

bool search_run(struct search_task *task)
{
    struct search search = {.task = task};

    search.regions.room = REGIONS_MAX;
    search.regions.list = raw_map_shared(REGIONS_MAX * sizeof(struct region));
    if (!search.regions.list ||
        !regions_read(&search.regions, task->stack_tops, task->stack_count))
        return false;
    find_arenas(&search);
    if (task->account)
        take_account(&search);
    if (task->site_count == 0)
        return true;
    if (!make_nodes(&search))
        return false;
    mark_all(&search);
    for (unsigned i = 0; i < task->site_count; i++)
        answer_site(&search, &task->sites[i]);
    return true;
}
