/* search_proof.c - see search_proof.h. */
#include "probe/search_proof.h"

#include "ledger/unsearched.h"
#include "probe/python_objects.h"

#define CONTROLS_LEAST 16 /* fewer prove nothing */
#define DICT_KEYS 32      /* in a dictionary: its table */
#define DICT_LARGE 64     /* entries of a dictionary whose table is a block of the heap */

static bool is_reached(const struct graph *graph, uintptr_t address)
{
    const uint32_t chunk = graph_find_chunk(graph, address);

    return chunk && graph->nodes.from[chunk];
}

/* Some of the other blocks may be lost, too; most are in use. */
static bool finds_controls(const struct graph *graph)
{
    const struct search_task *task = graph->task;
    unsigned found = 0;

    for (unsigned i = 0; i < task->control_count; i++)
        found += is_reached(graph, task->controls[i]);
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
        found += is_reached(graph, graph_word(root->object + DICT_KEYS));
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
    if (!finds_controls(graph) || (graph->python && !(finds_tables(graph) && finds_frames(graph))))
        return UNSEARCHED_unproven;
    return 0;
}

void search_proof(struct graph *graph)
{
    const struct search_task *task = graph->task;
    const uint32_t reason = reason_against(graph);

    for (unsigned i = 0; i < task->site_count; i++) {
        struct holder_record *answer = task->sites[i].answer;

        if (answer->reached * 2ull < answer->targets)
            answer->reason = reason;
    }
}
