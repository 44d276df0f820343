/* snapshot.c - see snapshot.h: queries on a snapshot that has been read. */
#include "snapshot/snapshot.h"

#include <string.h>

#include "base/mem.h"
#include "base/sorted.h"

void snapshot_free(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    mem_free(snapshot->nodes);
    mem_free(snapshot->edges);
    mem_free(snapshot->places);
    mem_free(snapshot->texts);
    mem_free(snapshot->bytes);
    mem_free(snapshot);
}

const char *snapshot_text(const struct snapshot *snapshot, uint32_t string)
{
    const uint32_t at = string < snapshot->text_count ? snapshot->texts[string] : 0;

    return at ? snapshot->bytes + at : "";
}

const char *snapshot_node_name(const struct snapshot *snapshot, uint32_t node)
{
    return snapshot_text(snapshot, snapshot->nodes[node].name);
}

const char *snapshot_edge_name(const struct snapshot *snapshot, uint32_t edge)
{
    const struct heap_edge *e = &snapshot->edges[edge];

    return e->type == EDGE_ELEMENT || e->type == EDGE_OTHER ? "" : snapshot_text(snapshot, e->name);
}

uint32_t snapshot_follow(const struct snapshot *snapshot, uint32_t node, enum edge_type type,
                         const char *name)
{
    for (uint32_t e = snapshot->nodes[node].first; e < snapshot->nodes[node + 1].first; e++)
        if (snapshot->edges[e].type == type && strcmp(snapshot_edge_name(snapshot, e), name) == 0)
            return snapshot->edges[e].to;
    return SNAPSHOT_NONE;
}

static bool is_before(const void *entry, const void *node)
{
    return ((const struct heap_place *)entry)->node < *(const uint32_t *)node;
}

const struct heap_place *snapshot_place(const struct snapshot *snapshot, uint32_t node)
{
    const size_t at = sorted_before(snapshot->places, snapshot->place_count, sizeof(*snapshot->places),
                                    is_before, &node);

    return at < snapshot->place_count && snapshot->places[at].node == node ? &snapshot->places[at] : NULL;
}

bool snapshot_is_timer(const struct snapshot *snapshot, uint32_t node)
{
    const char *name = snapshot_node_name(snapshot, node);

    return strcmp(name, "TimersList") == 0 || strcmp(name, "Timeout") == 0 ||
           strcmp(name, "ImmediateList") == 0 || strcmp(name, "Immediate") == 0;
}
