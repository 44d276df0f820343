/* loops_pure.c - see loops_pure.h. */
#include "probe/python/loops_pure.h"

#define NONE 0

/* The instructions of one version that may jump back. */
struct instructions {
    uint8_t minor;    /* of 3.minor */
    uint8_t extended; /* makes the argument of the next instruction longer */
    uint8_t jumps[5]; /* NONE where there are fewer */
    uint8_t caches;   /* words after a jump that belong to it */
    uint8_t unit;     /* bytes of one count of the argument */
    bool absolute;    /* the argument is the target; else the distance back from what follows */
};

static const struct instructions table[] = {
    {9, 144, {113, 114, 115, 111, 112}, 0, 1, true},
    {10, 144, {113, 114, 115, 111, 112}, 0, 2, true},
    {11, 144, {140, 173, 174, 175, 176}, 0, 2, false},
    {12, 144, {140, NONE, NONE, NONE, NONE}, 0, 2, false},
    {13, 71, {77, NONE, NONE, NONE, NONE}, 1, 2, false},
};

static const struct instructions *instructions_of(uint32_t version)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (version >> 24 == 3 && (version >> 16 & 0xff) == table[i].minor)
            return &table[i];
    return NULL;
}

static bool jumps(const struct instructions *set, uint8_t code)
{
    for (size_t i = 0; i < sizeof(set->jumps); i++)
        if (code != NONE && set->jumps[i] == code)
            return true;
    return false;
}

/* Jumps to the same place are of the same loop: `continue` is one more. */
static void add(struct loop_code *out, uint64_t start, uint64_t last)
{
    for (unsigned i = 0; i < out->count; i++)
        if (out->loops[i].start == start) {
            out->loops[i].last = (uint32_t)last;
            return;
        }
    if (out->count < LOOPS_OF_CODE)
        out->loops[out->count++] = (struct loop_range){(uint32_t)start, (uint32_t)last};
}

bool loops_read(const uint8_t *bytes, size_t size, uint32_t version, struct loop_code *out)
{
    const struct instructions *set = instructions_of(version);
    uint64_t argument = 0, target;

    out->count = 0;
    if (!set)
        return false;
    for (size_t at = 0; at + 1 < size && at < UINT32_MAX; at += 2) {
        argument = (argument << 8 | bytes[at + 1]) & UINT32_MAX;
        if (bytes[at] == set->extended)
            continue;
        if (jumps(set, bytes[at])) {
            target = argument * set->unit;
            if (!set->absolute)
                target = at + 2 + 2ull * set->caches - target;
            if (target <= at)
                add(out, target, at);
        }
        argument = 0;
    }
    return true;
}

/* ---- what has turned ---- */

static bool is_in(const struct loop_range *loop, uint64_t offset)
{
    return offset >= loop->start && offset <= loop->last;
}

/* The innermost loop of a function that both places are in. */
static const struct loop_range *innermost(const struct loop_code *known, uint64_t one,
                                          uint64_t other)
{
    const struct loop_range *best = NULL;

    for (unsigned i = 0; i < known->count; i++) {
        const struct loop_range *loop = &known->loops[i];

        if (is_in(loop, one) && is_in(loop, other) &&
            (!best || loop->last - loop->start < best->last - best->start))
            best = loop;
    }
    return best;
}

static bool is_users(const struct loop_level *level)
{
    return level->known && level->known->user;
}

/* The function at levels[same] was called again from where its callers still are: one of those has
 * turned. */
static struct loop_turn turn_above(const struct loop_look *before, const struct loop_look *now,
                                   unsigned same)
{
    unsigned count = same;
    bool library = same < now->count && !is_users(&now->levels[same]);

    while (count-- > 0) {
        const struct loop_level *level = &now->levels[count];
        const struct loop_range *loop =
            level->known ? innermost(level->known, level->offset, level->offset) : NULL;

        if (!level->known ||
            (library && level->state && level->state == before->levels[count].state))
            break;
        if (loop)
            return (struct loop_turn){count, loop, same};
        library = library || !level->known->user;
    }
    return (struct loop_turn){0, NULL, same};
}

static bool is_same_function(const struct loop_level *one, const struct loop_level *other)
{
    return one->code == other->code && one->mark == other->mark;
}

/* Levels that are alike in both. */
static unsigned alike(const struct loop_look *one, const struct loop_look *other)
{
    const unsigned most = one->count < other->count ? one->count : other->count;
    unsigned i = 0;

    while (i < most && is_same_function(&one->levels[i], &other->levels[i]) &&
           one->levels[i].offset == other->levels[i].offset)
        i++;
    return i;
}

/* The outermost function that is where it was, but with other values in its variables: it has left the place
 * and come back to it, if it is in a loop. Otherwise it may have been called again. */
static struct loop_turn turn_back(const struct loop_look *before, const struct loop_look *now,
                                  unsigned same)
{
    for (unsigned i = 0; i < same; i++) {
        const struct loop_level *level = &now->levels[i];

        if (level->state == before->levels[i].state || !level->state || !before->levels[i].state)
            continue;
        return (struct loop_turn){i, innermost(level->known, level->offset, level->offset), same};
    }
    return (struct loop_turn){0, NULL, same};
}

struct loop_turn loops_turned(const struct loop_look *before, const struct loop_look *now,
                              bool passed)
{
    const unsigned same = alike(before, now);
    const struct loop_turn none = {0, NULL, same}, back = turn_back(before, now, same);
    const struct loop_level *old = &before->levels[same], *new = &now->levels[same];
    const struct loop_range *loop;

    if (back.loop)
        return back;
    if (same == before->count && same == now->count)
        return passed && before->whole && now->whole ? turn_above(before, now, same) : none;
    if (same == before->count || same == now->count || !is_same_function(old, new) ||
        new->offset > old->offset || !new->known)
        return none;
    loop = innermost(new->known, old->offset, new->offset);
    return loop ? (struct loop_turn){same, loop, same} : turn_above(before, now, same);
}

bool loops_within(const struct loop_look *outer, const struct loop_look *inner)
{
    return alike(outer, inner) == outer->count;
}
