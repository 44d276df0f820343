/* retain_choose.c - which of several paths holds most; see retain_parts.h.
 *
 * An object is found by its shortest path, and other paths may lead to it as well: a cache holds
 * the latest objects, a list holds all. So for each of the most common kinds of path, everything
 * that its last shared object holds is counted, and the kind that holds most is taken.
 */
#include "base/mem.h"
#include "snapshot/retain_parts.h"

#define SHARE 3 /* one kind of path must hold this part of the wanted bytes: 1/3 */
#define WAYS_MOST 8
#define MORE_NUM 17 /* a path is preferred to one that found more objects … */
#define MORE_DEN 16 /* … if it holds 17/16 as much */

struct candidate {
    size_t begin;            /* in the sorted targets */
    uint64_t objects, bytes; /* found by this kind first */
    uint64_t held_objects, held_bytes;
};

struct choice {
    const struct retain *retain;
    const struct retain_target *targets; /* sorted by kind */
    size_t count;
    struct candidate list[WAYS_MOST]; /* largest first */
    size_t used;
    uint32_t *sizes;  /* per node: its size if it is a target, else 0 */
    uint32_t *seen;   /* per node: number of the latest walk that reached it */
    uint32_t *queue, *level;
};

static void offer(struct choice *choice, const struct candidate *one)
{
    size_t at = choice->used;

    if (at < WAYS_MOST)
        choice->used++;
    else if (choice->list[--at].bytes >= one->bytes)
        return;
    for (; at > 0 && choice->list[at - 1].bytes < one->bytes; at--)
        choice->list[at] = choice->list[at - 1];
    choice->list[at] = *one;
}

static uint64_t find_kinds(struct choice *choice)
{
    struct candidate one = {.begin = 0};
    uint64_t all = 0;

    for (size_t i = 0; i < choice->count; i++) {
        if (choice->targets[i].kind != choice->targets[one.begin].kind) {
            offer(choice, &one);
            one = (struct candidate){.begin = i};
        }
        one.objects++;
        one.bytes += choice->targets[i].size;
        all += choice->targets[i].size;
    }
    if (one.objects > 0)
        offer(choice, &one);
    return all;
}

/* Walks from the object that the paths of this kind share, no further than these paths go. */
static void weigh(struct choice *choice, struct candidate *one, uint32_t walk)
{
    const struct snapshot *snapshot = choice->retain->snapshot;
    const struct retain_target *first = &choice->targets[one->begin];
    const uint32_t from = retain_shared(choice->retain, first, one->objects);
    uint32_t head = 0, tail = 0, deepest = 0;

    for (uint64_t i = 0; i < one->objects; i++)
        if (choice->retain->depth[first[i].node] > deepest)
            deepest = choice->retain->depth[first[i].node];
    choice->seen[from] = walk;
    choice->level[from] = choice->retain->depth[from];
    choice->queue[tail++] = from;
    while (head < tail) {
        const uint32_t node = choice->queue[head++];

        one->held_objects += choice->sizes[node] > 0;
        one->held_bytes += choice->sizes[node];
        if (choice->level[node] >= deepest)
            continue;
        for (uint32_t e = snapshot->nodes[node].first; e < snapshot->nodes[node + 1].first; e++) {
            const uint32_t to = snapshot->edges[e].to;

            if (to == 0 || choice->seen[to] == walk || !retain_is_seen(snapshot, node, e))
                continue;
            choice->seen[to] = walk;
            choice->level[to] = choice->level[node] + 1;
            choice->queue[tail++] = to;
        }
    }
}

static const struct candidate *choose(struct choice *choice)
{
    const struct candidate *best = &choice->list[0];

    for (size_t i = 0; i < choice->count; i++)
        choice->sizes[choice->targets[i].node] = choice->targets[i].size;
    for (size_t i = 0; i < choice->used; i++) {
        weigh(choice, &choice->list[i], (uint32_t)i + 1);
        if (choice->list[i].held_bytes * MORE_DEN > best->held_bytes * MORE_NUM)
            best = &choice->list[i];
    }
    return best;
}

int retain_choose(struct retain_way *out, const struct retain *retain, const struct retain_target *targets,
                  size_t count)
{
    const size_t nodes = retain->snapshot->node_count;
    struct choice choice = {.retain = retain,
                            .targets = targets,
                            .count = count,
                            .sizes = mem_zalloc_array(nodes, sizeof(uint32_t)),
                            .seen = mem_zalloc_array(nodes, sizeof(uint32_t)),
                            .queue = mem_zalloc_array(nodes, sizeof(uint32_t)),
                            .level = mem_zalloc_array(nodes, sizeof(uint32_t))};
    const bool room = choice.sizes && choice.seen && choice.queue && choice.level;
    const struct candidate *best;
    int err = room ? 0 : ERR_NOMEM;

    out->asked_bytes = find_kinds(&choice);
    if (room && choice.used > 0) {
        best = choose(&choice);
        out->objects = best->objects;
        if (best->held_objects > 1 && best->held_bytes >= out->asked_bytes / SHARE)
            err = retain_describe(out, retain, targets + best->begin);
        out->objects = best->held_objects;
        out->bytes = best->held_bytes;
    }
    mem_free(choice.sizes);
    mem_free(choice.seen);
    mem_free(choice.queue);
    mem_free(choice.level);
    return err;
}
