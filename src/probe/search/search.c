/* search.c - see search.h. */
#include "probe/search/search.h"

#include <time.h>

#include "probe/copy/copy.h"
#include "ledger/unsearched.h"
#include "probe/copy/heap_walk_pure.h"
#include "probe/copy/regions.h"
#include "probe/core/raw.h"
#include "probe/record/pool.h"
#include "probe/search/account.h"
#include "probe/search/graph.h"
#include "probe/search/python_expand.h"
#include "probe/search/python_objects.h"
#include "probe/search/python_roots.h"
#include "probe/search/search_answer.h"

#define CONTROLS_LEAST 16 /* fewer prove nothing */
#define DICT_KEYS 32      /* in a dictionary: its table */
#define DICT_LARGE 64     /* entries of a dictionary whose table is a block of the heap */
#define REGIONS_MAX 16384
#define SECONDS_FOR_MORE 2 /* of the copy's processor time: more than that is left then */

/* ---- the nodes: all blocks of the heap ---- */

/* Counted first, then entered: the tables are as large as they must be. */
static void add_node(const struct chunk *chunk, void *context)
{
    struct nodes *nodes = context;
    const uintptr_t units = (chunk->end - chunk->start + NODE_UNIT - 1) / NODE_UNIT;

    if (nodes->start && nodes->count + 1 >= nodes->room)
        return; /* memory holds still here: there are no more than were counted */
    nodes->count++;
    if (!nodes->start)
        return;
    nodes->start[nodes->count] = chunk->start;
    nodes->size[nodes->count] = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

/* Targets are sorted: the first of this site that does not begin before the address. */
static uint32_t first_from(const struct search_site *site, uintptr_t at)
{
    uint32_t low = 0, high = site->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (site->targets[middle].start < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The target mapping that begins at this address or is the next after it; NULL: none. */
static const struct search_target *next_target(const struct graph *graph, uintptr_t at)
{
    const struct search_target *next = NULL;

    for (unsigned s = 0; s < graph->task->site_count; s++) {
        const struct search_site *site = &graph->task->sites[s];
        const uint32_t first = site->maps ? first_from(site, at) : site->count;

        if (first < site->count && (!next || site->targets[first].start < next->start))
            next = &site->targets[first];
    }
    return next;
}

/* A mapping that begins here, or a part of a framework's pool that begins in this page. */
static const struct search_target *mapped_target(const struct graph *graph, uintptr_t page)
{
    for (unsigned s = 0; s < graph->task->site_count; s++) {
        const struct search_site *site = &graph->task->sites[s];

        for (uint32_t i = first_from(site, page);
             i < site->count && site->targets[i].start - page < PAGE_BYTES; i++)
            if (site->maps ? site->targets[i].start == page : pool_holds(site->targets[i].start))
                return &site->targets[i];
    }
    return NULL;
}

/* Shared memory can be a target, but its contents are not searched. */
static void add_shared(struct graph *graph, const struct region *region)
{
    const struct search_target *target = next_target(graph, region->start);

    for (; target && target->start < region->end; target = next_target(graph, target->end))
        add_node(&(struct chunk){target->start, target->end}, &graph->nodes);
}

/* By address, in place. */
static void sort_targets(struct search_site *site)
{
    for (uint32_t gap = site->count / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < site->count; i++) {
            const struct search_target one = site->targets[i];
            uint32_t at = i;

            for (; at >= gap && site->targets[at - gap].start > one.start; at -= gap)
                site->targets[at] = site->targets[at - gap];
            site->targets[at] = one;
        }
}

static bool is_present(const struct graph *graph, uintptr_t page)
{
    return pages_flags(&graph->pages, page) & PAGE_PRESENT;
}

/* Large blocks and mappings searched for, page by page; `rest` gets what is neither. */
static void split_memory(struct graph *graph, const struct region *region,
                         void (*rest)(struct graph *, uintptr_t, uintptr_t, enum root_kind),
                         bool nodes_too)
{
    uintptr_t at = region->start;

    while (at < region->end) {
        const struct search_target *target = mapped_target(graph, at);
        struct chunk chunk = {0, 0};
        uintptr_t next = at + PAGE_BYTES;

        if (target)
            chunk = (struct chunk){target->start, target->end};
        else if (!is_present(graph, at) || !heap_mapped_chunk(at, region->end, &chunk))
            chunk.end = 0;
        if (chunk.end) {
            next = (chunk.end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
            if (nodes_too)
                add_node(&chunk, &graph->nodes);
        } else if (rest && is_present(graph, at) && !pool_holds(at) &&
                   (at < graph->task->skip_start || at >= graph->task->skip_end)) {
            rest(graph, at, next, ROOT_MEMORY);
        }
        at = next;
    }
}

#define DEVICE_NEAR (1ul << 20) /* bytes of a device's block to which pointers are followed */

/* Pointers lead to the start of a device's block, or near it. A block may be as large as the device. */
static uintptr_t near_end(uintptr_t start, uintptr_t end)
{
    return end - start > DEVICE_NEAR ? start + DEVICE_NEAR : end;
}

/* The target in a device's memory that begins at this address or is the next after it; NULL: none. */
static const struct search_target *next_on_device(const struct graph *graph, uintptr_t at)
{
    const struct search_target *next = NULL;

    for (unsigned s = 0; s < graph->task->site_count; s++) {
        const struct search_site *site = &graph->task->sites[s];
        const uint32_t first = site->device ? first_from(site, at) : site->count;

        if (first < site->count && (!next || site->targets[first].start < next->start))
            next = &site->targets[first];
    }
    return next;
}

/* Blocks of a device's memory are nodes to which pointers lead, and which are never read. No region of the
 * program's memory has them, or none that can be read. */
static void add_device_blocks(struct graph *graph)
{
    const struct search_target *target = next_on_device(graph, 1);

    for (; target; target = next_on_device(graph, target->end))
        add_node(&(struct chunk){target->start, target->end}, &graph->nodes);
}

static void collect(struct graph *graph)
{
    for (size_t i = 0; i < graph->regions.count; i++) {
        struct region *region = &graph->regions.list[i];

        if (region->kind == REGION_HEAP)
            graph->partial |=
                !heap_walk(region->start, regions_heap_end(region), 1, add_node, &graph->nodes);
        else if (region->kind == REGION_MEMORY)
            split_memory(graph, region, NULL, true);
        else if (region->kind == REGION_CONSTANT)
            add_shared(graph, region);
    }
    graph->nodes.in_memory = graph->nodes.count;
    add_device_blocks(graph);
}

/* A heap of a further arena begins with a pointer to the arena's record, which lies at the start of
 * the arena's first heap. One that was given back whole is a single free chunk. */
static bool is_arena(const struct region *region)
{
    const uintptr_t arena = *(const uintptr_t *)region->start;

    return arena % REGIONS_ARENA_ALIGN < PAGE_BYTES && arena % REGIONS_ARENA_ALIGN >= 16 &&
           arena > REGIONS_ARENA_ALIGN &&
           heap_walk(region->start, regions_heap_end(region), 1, NULL, NULL);
}

static void find_arenas(struct graph *graph)
{
    for (size_t i = 0; i < graph->regions.count; i++) {
        struct region *region = &graph->regions.list[i];

        if (region->kind == REGION_MEMORY && region->start % REGIONS_ARENA_ALIGN == 0 &&
            is_present(graph, region->start) && is_arena(region))
            region->kind = REGION_HEAP;
    }
}

static bool make_nodes(struct graph *graph)
{
    struct nodes *nodes = &graph->nodes;
    size_t room;

    collect(graph);
    if (nodes->count == 0 || nodes->count >= INDEX_MASK)
        return false;
    nodes->room = nodes->count + 2;
    room = nodes->room;
    nodes->count = 0;
    nodes->size = copy_map(room * sizeof(*nodes->size));
    nodes->where = copy_map(room * sizeof(*nodes->where));
    nodes->from = copy_map(room * sizeof(*nodes->from));
    nodes->words = copy_map(room);
    nodes->start = copy_map(room * sizeof(*nodes->start));
    if (!nodes->start || !nodes->size || !nodes->where || !nodes->from || !nodes->words)
        return false;
    collect(graph);
    for (uint32_t i = 1; i <= nodes->count; i++)
        pages_enter(&graph->pages, nodes->start[i],
                    i <= nodes->in_memory ? graph_end(graph, i)
                                          : near_end(nodes->start[i], graph_end(graph, i)), i);
    return true;
}

/* ---- planted blocks ----
 *
 * A search that works finds what certainly is there: blocks as a large malloc makes them, each held by one
 * word, in thread-local memory and in a frame of the stack on which the copy was made. Only the copy has
 * them.
 */

enum { PLANTED_THREAD, PLANTED_STACK, PLANTED };
#define PLANTED_MAPPED 2 /* flag in a chunk's header: it has a mapping of its own */

static __thread volatile uintptr_t planted_thread;
static uintptr_t planted; /* start of their pages; the probe's variables are not searched */

static uintptr_t planted_block(unsigned number)
{
    return planted + number * PAGE_BYTES + 2 * sizeof(uintptr_t);
}

/* Before the list of regions is read. A page on either side keeps them apart from other regions. */
static void plant(const struct search_task *task)
{
    char *const room = task->site_count ? copy_map((PLANTED + 2) * PAGE_BYTES) : NULL;

    planted = 0;
    if (!room || syscall(SYS_mprotect, room, PAGE_BYTES, PROT_NONE) != 0 ||
        syscall(SYS_mprotect, room + (PLANTED + 1) * PAGE_BYTES, PAGE_BYTES, PROT_NONE) != 0)
        return;
    planted = (uintptr_t)room + PAGE_BYTES;
    for (unsigned i = 0; i < PLANTED; i++)
        *(uintptr_t *)(planted_block(i) - sizeof(uintptr_t)) = PAGE_BYTES | PLANTED_MAPPED;
    planted_thread = planted_block(PLANTED_THREAD);
    if (task->planted_at)
        *(volatile uintptr_t *)task->planted_at = planted_block(PLANTED_STACK);
}

/* They are not part of the program's memory. */
static void unplant(struct graph *graph)
{
    for (size_t i = 0; planted && i < graph->regions.count; i++)
        if (graph->regions.list[i].start == planted)
            graph->regions.list[i].end = planted;
}

/* ---- marking ---- */

static void scan_root(struct graph *graph, uintptr_t start, uintptr_t end, enum root_kind root)
{
    for (uintptr_t at = start, next; at < end; at = next) {
        next = (at & ~(PAGE_BYTES - 1)) + PAGE_BYTES;
        if (is_present(graph, at))
            graph_scan(graph, at, next < end ? next : end, (thing)root | ROOT_BIT, false);
    }
}

/* Memory in which the interpreter keeps its objects becomes a root only after everything else: a
 * word there belongs to an object, and naming that object says more. */
static void scan_foreign(struct graph *graph, uintptr_t start, uintptr_t end, enum root_kind root)
{
    if (!(pages_flags(&graph->pages, start) & PAGE_PYTHON))
        scan_root(graph, start, end, root);
}

/* What the collector knows and nothing leads to: its reference count leaked, or an unsearched
 * place holds it. */
static void scan_objects(struct graph *graph, uintptr_t start, uintptr_t end, enum root_kind root)
{
    if (!(pages_flags(&graph->pages, start) & PAGE_PYTHON))
        return;
    for (uintptr_t at = start; at < end; at += 16)
        if (python_objects_found(graph, at) && python_objects_flags(at) & TYPE_HAS_GC)
            graph_reach_object(graph, at, (thing)root | ROOT_BIT, at);
}

static void mark_memory(struct graph *graph,
                        void (*scan)(struct graph *, uintptr_t, uintptr_t, enum root_kind))
{
    for (size_t i = 0; i < graph->regions.count; i++)
        if (graph->regions.list[i].kind == REGION_MEMORY)
            split_memory(graph, &graph->regions.list[i], scan, false);
    graph_follow(graph);
}

static void mark_kind(struct graph *graph, enum region_kind kind, enum root_kind root)
{
    for (size_t i = 0; i < graph->regions.count; i++) {
        const struct region *region = &graph->regions.list[i];
        uintptr_t start = region->start;

        if (region->kind != kind)
            continue;
        if (kind == REGION_STACK && graph->task->own_stack_low > region->start &&
            graph->task->own_stack_low < region->end)
            start = graph->task->own_stack_low; /* below it is what has returned */
        scan_root(graph, start, region->end, root);
    }
    graph_follow(graph);
}

/* A coroutine's stack may be a block of the heap. */
static void mark_own_stack(struct graph *graph)
{
    const uintptr_t low = graph->task->own_stack_low;
    const uint32_t chunk = graph_find_chunk(graph, low);

    if (!chunk || graph->nodes.from[chunk])
        return;
    graph_reach_storage(graph, chunk, (thing)ROOT_STACK | ROOT_BIT, low);
    scan_root(graph, low, graph_end(graph, chunk), ROOT_STACK);
    graph_follow(graph);
}

/* The first roots are the native ones, each with the number of its kind. */
static void add_native_roots(struct graph *graph)
{
    for (unsigned kind = ROOT_NONE; kind <= ROOT_STACK; kind++)
        (void)graph_add_root(graph, &(struct root){.native = (enum root_kind)kind});
}

static void mark_all(struct graph *graph)
{
    add_native_roots(graph);
    if (graph->python && python_objects_init() && python_roots_find(graph)) {
        if (python_roots_mark(graph))
            return;
        graph->objects_reported = true;
    } else {
        graph->python = NULL;
    }
    graph->user_only = false;
    graph_follow_late(graph);
    mark_kind(graph, REGION_MODULE, ROOT_MODULE);
    mark_memory(graph, scan_foreign);
    mark_kind(graph, REGION_STACK, ROOT_STACK);
    mark_own_stack(graph);
    if (graph->python) {
        mark_memory(graph, scan_objects);
        mark_memory(graph, scan_root);
    }
    graph_follow_late(graph);
    if (graph_found_all(graph))
        return;
    graph_read_large(graph);
    if (graph->python)
        python_expand_take_numbers(graph);
}

/* ---- who else holds them ---- */

/* Their pages are not memory of the program, and get a place in the table of pages. */
static bool make_room_for_device_blocks(struct graph *graph)
{
    for (unsigned s = 0; s < graph->task->site_count; s++) {
        const struct search_site *site = &graph->task->sites[s];

        for (uint32_t i = 0; site->device && i < site->count; i++)
            if (!pages_cover(&graph->pages, site->targets[i].start,
                             near_end(site->targets[i].start, site->targets[i].end)))
                return false;
    }
    return true;
}

static bool prepare(struct graph *graph, struct search_task *task)
{
    plant(task);
    *graph = (struct graph){.task = task, .python = task->python, .language = &python_expand_language};
    graph->regions.room = REGIONS_MAX;
    graph->regions.list = raw_map_shared(REGIONS_MAX * sizeof(struct region));
    if (!graph->regions.list ||
        !regions_read(&graph->regions, task->stack_tops, task->stack_count) ||
        !pages_fill(&graph->pages, &graph->regions))
        return false;
    graph->partial = graph->regions.count == graph->regions.room;
    find_arenas(graph);
    return make_room_for_device_blocks(graph);
}

static bool held_by_program(const struct graph *graph)
{
    for (unsigned i = 0; graph->python && i < graph->task->site_count; i++)
        if (graph->task->sites[i].owner_count > 0 &&
            graph->task->sites[i].owners[0].kind <= OWNER_FRAME)
            return true;
    return false;
}

static bool has_time(void)
{
    struct timespec used;

    return syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used) == 0 &&
           used.tv_sec < SECONDS_FOR_MORE;
}

/* What the program holds, a library may hold as well: then it stays when the program lets go. Marked
 * once more, from libraries' modules alone. */
static void count_libraries(struct graph *graph)
{
    struct search_task *task = graph->task;

    graph_forget(graph);
    add_native_roots(graph);
    if (!python_roots_find(graph))
        return;
    python_roots_mark_libraries(graph);
    for (unsigned i = 0; i < task->site_count && !copy_is_short(); i++)
        if (task->sites[i].owner_count > 0) {
            struct search_owner *root = &task->sites[i].owners[0];

            root->libraries_known = 1;
            root->libraries_alone = graph_reached(graph, &task->sites[i]);
        }
}

/* ---- did this search work? ----
 *
 * That nothing points to a block is said only by a search that has read all memory which may hold
 * pointers, and that has found what is certainly in use: the planted blocks, old blocks of other sites, and
 * the tables of modules' variables. Where it cannot show that, a site whose blocks it did not find gets a
 * reason instead of an answer. A path that was found needs no proof.
 */

static bool is_in_use(const struct graph *graph, uintptr_t address)
{
    const uint32_t chunk = graph_find_chunk(graph, address);

    return chunk && graph->nodes.from[chunk];
}

static bool finds_planted(const struct graph *graph)
{
    return planted && is_in_use(graph, planted_block(PLANTED_THREAD)) &&
           (!graph->task->planted_at || is_in_use(graph, planted_block(PLANTED_STACK)));
}

/* Some of the other blocks may be lost, too; most are in use. */
static bool finds_controls(const struct graph *graph)
{
    const struct search_task *task = graph->task;
    unsigned found = 0;

    for (unsigned i = 0; i < task->control_count; i++)
        found += is_in_use(graph, task->controls[i]);
    return task->control_count < CONTROLS_LEAST || found * 2 >= task->control_count;
}

/* Every module has its variables in a dictionary, and the table of a large one is a block of the heap. */
static bool finds_tables(const struct graph *graph)
{
    unsigned found = 0, all = 0;

    for (uint32_t i = 0; i < graph->root_count; i++) {
        const struct root *root = &graph->roots[i];

        if (root->kind != OWNER_MODULE || graph_word(root->object + LENGTH) < DICT_LARGE)
            continue;
        all++;
        found += is_in_use(graph, graph_word(root->object + DICT_KEYS));
    }
    return found * 4 >= all * 3;
}

/* A thread that runs Python code has frames. */
static bool finds_frames(const struct graph *graph)
{
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->roots[i].kind == OWNER_FRAME)
            return true;
    return graph->task->innermost == 0;
}

static bool has_read_all(const struct graph *graph)
{
    for (size_t i = 0; i < graph->regions.count; i++) {
        const struct region *region = &graph->regions.list[i];

        if (region->kind != REGION_CONSTANT && !pages_are_covered(region))
            return false;
    }
    return !graph->partial &&
           pages_flags(&graph->pages, graph->task->own_stack_low) & PAGE_READABLE;
}

static uint32_t reason_against(const struct graph *graph)
{
    if (!has_read_all(graph))
        return UNSEARCHED_partial;
    if (!finds_planted(graph) || !finds_controls(graph) ||
        (graph->python && !(finds_tables(graph) && finds_frames(graph))))
        return UNSEARCHED_unproven;
    return 0;
}

/* For all sites of the task, when they have been answered and before anything is forgotten. */
static void prove(struct graph *graph)
{
    const struct search_task *task = graph->task;
    const uint32_t reason = reason_against(graph);

    for (unsigned i = 0; i < task->site_count; i++) {
        struct holder_record *answer = task->sites[i].answer;

        if (answer->reached * 2ull < answer->targets)
            answer->reason = reason;
    }
}

/* False: some of it was left out because memory ran short; then no answer is allowed. */
static bool answer_all(struct graph *graph)
{
    struct search_task *task = graph->task;

    for (unsigned i = 0; i < task->site_count && !copy_is_short(); i++)
        search_answer(graph, &task->sites[i]);
    if (copy_is_short())
        return false;
    prove(graph);
    for (unsigned i = 0; i < task->site_count; i++)
        __atomic_store_n(&task->sites[i].answered, true, __ATOMIC_RELEASE);
    if (held_by_program(graph) && has_time())
        count_libraries(graph);
    for (unsigned i = 0; i < task->site_count; i++)
        if (task->sites[i].answer->reason == 0)
            search_answer_publish(&task->sites[i]);
    return true;
}

bool search_run(struct search_task *task)
{
    static struct graph graph;
    bool found = true;

    if (!prepare(&graph, task))
        return false;
    for (unsigned i = 0; i < task->site_count; i++)
        sort_targets(&task->sites[i]);
    if (task->site_count > 0) {
        found = graph_init(&graph) && make_nodes(&graph);
        if (found)
            mark_all(&graph);
        found = found && answer_all(&graph);
    }
    unplant(&graph);
    if (task->account)
        account_take(&graph);
    return found;
}
