/* search_answer.c - see search_answer.h.
 *
 * The blocks of a site may be held in several ways, and only what holds the old ones makes memory grow:
 * their oldest third decides, or the oldest eight. The root that holds most of these is taken; then, as
 * long as more than half of them go through the same thing, that thing's part of them; and of what is left
 * the block whose path has the most common length. So one path is shown, and it is the path of as many
 * blocks as can be.
 */
#include "probe/search/search_answer.h"

#include "probe/copy/copy.h"
#include "probe/record/pool.h"
#include "probe/search/holder_path.h"

#define LANGUAGE_VOTE 4
#define LEAD 6         /* things after the root by which paths are compared */
#define DEPTHS 64      /* longer paths count as equally long */
#define DEPTH_LAST (1u << 24)
#define OLD_PART 3     /* the oldest blocks decide: one part in this many */
#define OLD_LEAST 8    /* at least this many blocks decide: a few may be held by chance */
#define STALE_LEAST 9  /* blocks that only words into their middle lead to: fewer are believed */
#define STALE_SHARE 8  /* an eighth of them at one place: it is meant */

struct lead {
    thing target;
    uint32_t depth; /* things from the root to the target, which counts */
    thing root;
    thing first[LEAD];
    uint64_t birth; /* ordinal of the target */
    bool stale;
};

struct leads {
    struct lead *list;
    uint32_t count;
    uint32_t hidden; /* targets of which nothing can be said */
};

/* The block itself, or the object that begins there or after its heads. */
static thing reached_target(struct graph *graph, const struct search_target *target)
{
    const uint32_t chunk = graph_find_chunk(graph, target->start);

    if (chunk)
        return graph->nodes.from[chunk] ? chunk : 0;
    for (uintptr_t head = 0; graph->python && head <= 32; head += 16) {
        const thing object = graph_find_object(graph, target->start + head);

        if (object)
            return object;
    }
    return 0;
}

/* ---- paths ----
 *
 * A list of a million nodes is a path of a million steps, and thousands of blocks may lie along it. So
 * the way to the root is walked once: at one thing in 64 is written how deep it lies and which thing of
 * the path's beginning it passes. A later walk stops at the first of those.
 */

#define POST_EVERY 64 /* 1 << 6: the hash below gives six bits */

struct post {
    uint32_t depth; /* depth of the thing, as in struct lead; 0: not visited yet */
    thing last;     /* the path's thing at LEAD - 1; 0: it is not so deep */
    thing root;
};

static struct {
    struct post *chunks, *objects;
    size_t chunk_bytes, object_bytes;
} posts; /* of the marking that is being read */

static bool posts_open(const struct graph *graph)
{
    posts.chunk_bytes = (graph->nodes.count / POST_EVERY + 1) * sizeof(struct post);
    posts.object_bytes = (graph->objects.count / POST_EVERY + 1) * sizeof(struct post);
    posts.chunks = copy_map(posts.chunk_bytes);
    posts.objects = copy_map(posts.object_bytes);
    return posts.chunks && posts.objects;
}

static void posts_close(void)
{
    copy_release(posts.chunks, posts.chunk_bytes);
    copy_release(posts.objects, posts.object_bytes);
}

static struct post *post_at(thing at)
{
    const uint32_t index = at & INDEX_MASK, number = index / POST_EVERY;

    if (index % POST_EVERY != number * 0x9E3779B1u >> 26)
        return NULL; /* at random: what lies along a path may have odd numbers only */
    return at & OBJECT_BIT ? &posts.objects[number] : &posts.chunks[number];
}

/* Walks up to the root or to the first thing that is known, and says what it leads to. */
static struct post walk_up(const struct graph *graph, thing target)
{
    uint32_t steps = 1;
    thing at = target;

    for (;; steps++) {
        const struct post *post = post_at(at);
        const thing from = graph_from(graph, at);

        if (post && post->depth)
            return (struct post){post->depth + steps - 1, post->last, post->root};
        if (from & ROOT_BIT || steps == DEPTH_LAST)
            return (struct post){steps, 0, from};
        at = from;
    }
}

static void find_lead(const struct graph *graph, thing target, struct lead *lead)
{
    const struct post found = walk_up(graph, target);
    thing at = target;
    uint32_t depth = found.depth;

    *lead = (struct lead){.target = target, .depth = found.depth, .root = found.root};
    /* The beginning of the path: from what is known of it, or from the path itself. */
    for (; depth > LEAD && !found.last; depth--)
        at = graph_from(graph, at);
    if (found.last) {
        at = found.last;
        depth = LEAD;
    }
    for (; depth > 0; at = graph_from(graph, at))
        lead->first[--depth] = at;
    /* For those that come later. */
    at = target;
    for (depth = found.depth; depth > 0; depth--, at = graph_from(graph, at)) {
        struct post *post = post_at(at);

        if (post && post->depth)
            break;
        if (post)
            *post = (struct post){depth, depth >= LEAD ? lead->first[LEAD - 1] : 0, found.root};
    }
}

/* Nothing can be said of a block that this search does not know as one, nor of any block where there is an
 * interpreter whose objects were not walked; nor of a part of a framework's pool, in a block of the heap
 * that is the pool's. */
static bool is_hidden(const struct graph *graph, const struct search_target *target)
{
    const uint32_t chunk = graph_find_chunk(graph, target->start);

    if (!graph->python && graph->task->interpreted)
        return true;
    if (!chunk)
        return !(pages_flags(&graph->pages, target->start) & PAGE_PYTHON);
    return pool_holds(target->start) && graph->nodes.start[chunk] != target->start;
}

static bool collect_leads(struct graph *graph, const struct search_site *site,
                          struct leads *leads)
{
    leads->count = leads->hidden = 0;
    if (!posts_open(graph)) {
        posts_close();
        return false;
    }
    leads->list = copy_map(SEARCH_TARGETS * sizeof(struct lead));
    for (uint32_t i = 0; leads->list && i < site->count; i++) {
        const bool hidden = is_hidden(graph, &site->targets[i]);
        const thing target = hidden ? 0 : reached_target(graph, &site->targets[i]);

        leads->hidden += hidden;
        if (target) {
            find_lead(graph, target, &leads->list[leads->count]);
            leads->list[leads->count++].birth = site->targets[i].birth;
        }
    }
    posts_close();
    return leads->list != NULL;
}

/* ---- doubting ----
 *
 * A word that points into the middle of a block may be older than the block: it was written for a smaller
 * one that lay there before. A long-lived process is full of such words, and a large block that is lost
 * soon has one. Words that mean a block point to its start, or to a place that others of its kind are
 * pointed to at as well, or there are several. Objects of a language are found otherwise.
 */

/* Where in the target its only words point to; 0: there is nothing to doubt. */
static uintptr_t doubtful(const struct graph *graph, thing target)
{
    const struct nodes *nodes = &graph->nodes;
    const unsigned words = target & OBJECT_BIT ? 0 : nodes->words[target] & ~(unsigned)WORD_PLAIN;

    if (words == 0 || words >= WORDS_MANY)
        return 0;
    return graph_word(nodes->where[target]) - nodes->start[target];
}

static uint32_t count_at(const struct graph *graph, const struct leads *leads, uintptr_t place)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < leads->count; i++)
        count += doubtful(graph, leads->list[i].target) == place;
    return count;
}

static void drop_stale(const struct graph *graph, struct leads *leads)
{
    const uint32_t sure = count_at(graph, leads, 0), doubted = leads->count - sure;
    uint32_t kept = 0;

    if (doubted < STALE_LEAST)
        return;
    /* Marked first: what is dropped still counts for the others at its place. */
    for (uint32_t i = 0; i < leads->count; i++) {
        const uintptr_t place = doubtful(graph, leads->list[i].target);

        leads->list[i].stale = place && count_at(graph, leads, place) * STALE_SHARE < doubted;
    }
    for (uint32_t i = 0; i < leads->count; i++)
        if (!leads->list[i].stale)
            leads->list[kept++] = leads->list[i];
    leads->count = kept;
}

/* ---- choosing ---- */

/* The ordinal up to which the oldest part of the site's blocks was made; UINT64_MAX: all of them count. */
static uint64_t old_until(const struct search_site *site)
{
    const size_t bytes = SEARCH_TARGETS * sizeof(uint64_t);
    const uint32_t part = site->count / OLD_PART > OLD_LEAST ? site->count / OLD_PART : OLD_LEAST;
    uint64_t *births = site->count > part ? copy_map(bytes) : NULL, until;

    if (!births)
        return UINT64_MAX;
    for (uint32_t i = 0; i < site->count; i++)
        births[i] = site->targets[i].birth;
    for (uint32_t gap = site->count / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < site->count; i++) {
            const uint64_t one = births[i];
            uint32_t at = i;

            for (; at >= gap && births[at - gap] > one; at -= gap)
                births[at] = births[at - gap];
            births[at] = one;
        }
    until = births[part - 1];
    copy_release(births, bytes);
    return until;
}

/* The young ones count only where no old one was found. */
static void keep_old(struct leads *leads, const struct search_site *site)
{
    const uint64_t until = old_until(site);
    uint32_t old = 0, kept = 0;

    for (uint32_t i = 0; i < leads->count; i++)
        old += leads->list[i].birth <= until;
    for (uint32_t i = 0; old > 0 && i < leads->count; i++)
        if (leads->list[i].birth <= until)
            leads->list[kept++] = leads->list[i];
    leads->count = old > 0 ? kept : leads->count;
}

static void keep_root(struct leads *leads, thing root)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < leads->count; i++)
        if (leads->list[i].root == root)
            leads->list[kept++] = leads->list[i];
    leads->count = kept;
}

/* What only the collector or native memory knows may be garbage beside what is held: a root of the
 * language counts for more. */
static uint32_t vote_of(const struct graph *graph, uint32_t root)
{
    return graph->roots[root].kind ? LANGUAGE_VOTE : 1;
}

static thing most_common_root(const struct graph *graph, const struct leads *leads)
{
    uint32_t *tally = copy_map(graph->root_room * sizeof(*tally));
    thing best = leads->list[0].root;

    for (uint32_t i = 0; tally && i < leads->count; i++) {
        const uint32_t root = leads->list[i].root & INDEX_MASK;

        tally[root] += vote_of(graph, root);
        if (tally[root] > tally[best & INDEX_MASK])
            best = leads->list[i].root;
    }
    copy_release(tally, graph->root_room * sizeof(*tally));
    return best;
}

/* Continues with those that share a thing at this place; false: no more than half do. */
static bool keep_majority(struct leads *leads, unsigned place)
{
    thing candidate = 0;
    uint32_t votes = 0, count = 0, kept = 0;

    for (uint32_t i = 0; i < leads->count; i++) {
        const thing one = leads->list[i].first[place];

        if (votes == 0)
            candidate = one;
        votes = votes == 0 || one == candidate ? votes + 1 : votes - 1;
    }
    for (uint32_t i = 0; i < leads->count; i++)
        count += leads->list[i].first[place] == candidate;
    if (candidate == 0 || count * 2 <= leads->count)
        return false;
    for (uint32_t i = 0; i < leads->count; i++)
        if (leads->list[i].first[place] == candidate)
            leads->list[kept++] = leads->list[i];
    leads->count = kept;
    return true;
}

static uint32_t measure(const struct lead *lead)
{
    return lead->depth < DEPTHS ? lead->depth : DEPTHS - 1;
}

static const struct lead *typical(const struct leads *leads)
{
    uint32_t tally[DEPTHS] = {0}, best = 0;

    for (uint32_t i = 0; i < leads->count; i++)
        tally[measure(&leads->list[i])]++;
    for (uint32_t i = 0; i < DEPTHS; i++)
        if (tally[i] > tally[best])
            best = i;
    for (uint32_t i = 0; i < leads->count; i++)
        if (measure(&leads->list[i]) == best)
            return &leads->list[i];
    return &leads->list[0];
}

/* ---- writing ---- */

static uintptr_t start_of(const struct graph *graph, thing holder)
{
    return holder & OBJECT_BIT ? graph->objects.address[holder & INDEX_MASK]
                               : graph->nodes.start[holder];
}

/* Offsets of the pointers inside blocks; what an object's type has shown has no place. */
static void write_offsets(const struct graph *graph, const struct lead *lead,
                          struct holder_record *answer)
{
    thing at = lead->target;

    answer->depth = lead->depth;
    for (uint32_t i = lead->depth - 1; i > 0; i--) {
        const thing holder = graph_from(graph, at);
        const uintptr_t where = graph_where(graph, at);

        if (i <= HOLDER_PATH)
            answer->path[i - 1] = where ? (uint32_t)(where - start_of(graph, holder)) : 0;
        at = holder;
    }
    answer->offset = graph_where(graph, at);
}

static void write_answer(const struct graph *graph, struct search_site *site, struct leads *leads)
{
    struct holder_record *answer = site->answer;
    const struct lead *lead;
    const struct root *root;

    keep_old(leads, site);
    keep_root(leads, most_common_root(graph, leads));
    for (unsigned place = 0; place < LEAD && keep_majority(leads, place); place++)
        continue;
    lead = typical(leads);
    root = &graph->roots[lead->root & INDEX_MASK];
    answer->root = root->kind ? ROOT_MEMORY : root->native;
    write_offsets(graph, lead, answer);
    if (root->kind)
        answer->offset = root->object;
    if (graph->python)
        holder_path_write(graph, lead->target, lead->depth, site);
}

void search_answer(struct graph *graph, struct search_site *site)
{
    struct holder_record *answer = site->answer;
    struct leads leads;

    answer->targets = site->count;
    answer->scanned = graph->scanned;
    if (collect_leads(graph, site, &leads)) {
        answer->targets -= leads.hidden;
        if (!graph->python)
            drop_stale(graph, &leads);
        answer->reached = leads.count;
        if (leads.count > 0)
            write_answer(graph, site, &leads);
        copy_release(leads.list, SEARCH_TARGETS * sizeof(struct lead));
    }
}

void search_answer_publish(struct search_site *site)
{
    __atomic_store_n(&site->answer->state, HOLDER_DONE, __ATOMIC_RELEASE);
}
