/* model_history.c - what a ledger says over time: steps, samples, late deaths, and the two records
 * that are rewritten in place under a sequence number (totals, peak).
 *
 * Levels are read from the finest to the coarsest, because a span that is being moved is published
 * in the coarser level before it leaves the finer: it may be met twice, never missed.
 */
#include <string.h>

#include "ledger/levels.h"
#include "ledger/model_parts.h"

#define SEQUENCE_TRIES 64

/* ---- levels ---- */

/* What is kept in levels begins with these. */
struct span {
    uint64_t first, last;
};

_Static_assert(offsetof(struct step_record, first) == offsetof(struct span, first) &&
                   offsetof(struct step_record, last) == offsetof(struct span, last),
               "a step begins with its span");
_Static_assert(offsetof(struct sample_record, first) == offsetof(struct span, first) &&
                   offsetof(struct sample_record, last) == offsetof(struct span, last),
               "a sample begins with its span");

/* Records gathered from the end of the array towards its beginning, so that the oldest, which come
 * from the coarsest level and are read last, are in front. */
struct gathering {
    const struct reader *reader;
    bool (*get)(const struct reader *reader, uint64_t index, void *out); /* a record */
    enum section levels;
    size_t size; /* of one record */
    char *array;
    uint64_t room, from; /* the gathered ones are from..room-1 */
};

static bool get_level(const struct gathering *g, unsigned level, struct level_record *out)
{
    return reader_get(g->reader, g->levels, level, out, sizeof(*out)) && out->tail > out->head;
}

/* Gathers the records of one level. A record that the head has passed during the copy may have been
 * overwritten; the coarser level, which is read next, has it. */
static void gather_level(struct gathering *g, unsigned level)
{
    struct level_record ring, now;
    uint64_t count, begin;

    if (!get_level(g, level, &ring))
        return;
    count = ring.tail - ring.head;
    if (count > levels_size(level))
        count = levels_size(level);
    if (count > g->from)
        count = g->from;
    begin = g->from - count;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t index = ring.tail - count + i;
        char *to = g->array + (begin + i) * g->size;

        if (!g->get(g->reader, levels_start(level) + index % levels_size(level), to))
            memset(to, 0, g->size);
    }
    if (reader_get(g->reader, g->levels, level, &now, sizeof(now)))
        for (uint64_t i = 0; i < count && ring.tail - count + i < now.head; i++)
            memset(g->array + (begin + i) * g->size, 0, g->size);
    g->from = begin;
}

/* Moves the gathered records to the front, in order, each span once. Of two that overlap the wider
 * one stays: an earlier one is from a coarser level or, in the last level, being widened. */
static uint64_t settle(struct gathering *g)
{
    struct span last = {0, 0}, span;
    uint64_t kept = 0;

    for (uint64_t i = g->from; i < g->room; i++) {
        const char *record = g->array + i * g->size;

        memcpy(&span, record, sizeof(span));
        if (span.first == 0 || span.last < span.first)
            continue;
        if (kept > 0 && span.first <= last.last) {
            if (span.first != last.first || span.last <= last.last)
                continue;
            kept--;
        }
        memmove(g->array + kept++ * g->size, record, g->size);
        last = span;
    }
    return kept;
}

/* Fills array[g->room]; how many records it holds then. */
static size_t load_levels(struct gathering *g, void *array)
{
    g->array = array;
    g->from = g->room;
    for (unsigned level = 0; level < LEVELS_COUNT; level++)
        gather_level(g, level);
    return (size_t)settle(g);
}

/* Shrinks an array to what it needs; if that fails it stays as it is. */
static void *shrink(void *array, size_t count, size_t size)
{
    void *shrunk = mem_resize(array, count, size);

    return shrunk ? shrunk : array;
}

static bool get_step(const struct reader *r, uint64_t index, void *out)
{
    struct packed_step packed;

    if (!reader_get(r, SECTION_steps, index, &packed, sizeof(packed)))
        return false;
    step_unpack(out, &packed);
    return true;
}

static bool get_sample(const struct reader *r, uint64_t index, void *out)
{
    return reader_get(r, SECTION_samples, index, out, sizeof(struct sample_record));
}

int load_steps(struct model *m, const struct reader *r, struct why *why)
{
    struct gathering g = {.reader = r,
                          .get = get_step,
                          .levels = SECTION_step_levels,
                          .size = sizeof(struct step_record),
                          .room = reader_count(r, SECTION_steps)};
    const int err = TAKE_ARRAY(m->steps, g.room, "steps", why);

    if (err)
        return err;
    m->step_count = load_levels(&g, m->steps);
    m->steps = shrink(m->steps, m->step_count, g.size);
    return 0;
}

int load_samples(struct model *m, const struct reader *r, struct why *why)
{
    struct gathering g = {.reader = r,
                          .get = get_sample,
                          .levels = SECTION_sample_levels,
                          .size = sizeof(struct sample_record),
                          .room = reader_count(r, SECTION_samples)};
    const int err = TAKE_ARRAY(m->samples, g.room, "samples", why);

    if (err)
        return err;
    m->sample_count = load_levels(&g, m->samples);
    m->samples = shrink(m->samples, m->sample_count, g.size);
    return 0;
}

/* ---- the ring of late deaths ---- */

static bool death_is_sound(const struct death_record *death)
{
    return death->birth > 0 && death->death >= death->birth;
}

int load_deaths(struct model *m, const struct reader *r, struct why *why)
{
    const struct reader_section *s = &r->sections[SECTION_deaths];
    const uint64_t used = s->count > 0 ? reader_used_now(r, SECTION_deaths) : 0;
    const uint64_t there = used < s->capacity ? used : s->capacity;
    const int err = TAKE_ARRAY(m->deaths, there < s->count ? there : s->count, "deaths", why);
    uint64_t begin = used - there;

    if (err)
        return err;
    m->deaths_seen = used;
    for (uint64_t i = begin; i < used && m->death_count < s->count; i++) {
        struct death_record *death = &m->deaths[m->death_count];

        m->death_count += reader_get(r, SECTION_deaths, i % s->capacity, death, sizeof(*death)) &&
                          death_is_sound(death);
    }
    return 0;
}

/* ---- totals and peak ---- */

/* Copies a record that is rewritten in place. Its first word is odd while it is written, and
 * different afterwards. A writer that died in between leaves it odd; then the last copy is used. */
static void get_sequenced(const struct reader *r, enum section section, void *out, size_t size)
{
    uint64_t before, after;

    for (unsigned tries = 0; tries < SEQUENCE_TRIES; tries++) {
        if (!reader_get(r, section, 0, &before, sizeof(before)) ||
            !reader_get(r, section, 0, out, size) ||
            !reader_get(r, section, 0, &after, sizeof(after)))
            return;
        if (before == after && before % 2 == 0)
            return;
    }
}

void load_totals(struct model *m, const struct reader *r)
{
    get_sequenced(r, SECTION_totals, &m->totals, sizeof(m->totals));
}

void load_peak(struct model *m, const struct reader *r)
{
    get_sequenced(r, SECTION_peak, &m->peak, sizeof(m->peak));
}
