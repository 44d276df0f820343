/* other_findings.c - sentences of the findings that are not of a line whose blocks survive. */
#include "doctor/say/sentences.h"

#include "doctor/facts/quantity.h"

/* ---- queues, containers and heaps ---- */

SENTENCE(queue_grows)
{
    (void)fact;
    return arena_print(visit->arena, "A queue grows by %s: it is filled faster than it is emptied.",
                       say_rate_of(visit, out));
}

SENTENCE(queue_waits)
{
    (void)out;
    return arena_print(visit->arena,
                       "Blocks are freed later and later: after %s %s at first, after %s recently.",
                       say_count(visit, fact->n[0]), say_ticks_name(visit), say_count(visit, fact->n[1]));
}

SENTENCE(container_grows)
{
    return arena_print(visit->arena, "A container grows by %s and is now %s large.", say_rate_of(visit,
                                                                                                 out),
                       say_size(visit, (double)fact->n[0]));
}

SENTENCE(container_rose)
{
    (void)out;
    return arena_print(visit->arena,
                       "Live bytes rose in every eighth of %s %s-%s, by %s in all; the number of "
                       "blocks did not.",
                       say_ticks_name(visit), say_count(visit, fact->n[0]), say_count(visit, fact->n[1]),
                       say_size(visit, (double)fact->n[2]));
}

SENTENCE(container_blocks)
{
    const bool one = fact->n[0] == 1;

    (void)out;
    return arena_print(visit->arena, "%s block%s made here hold%s %s and %s resized or replaced %s times.",
                       say_count(visit, fact->n[0]), one ? "" : "s", one ? "s" : "",
                       say_size(visit, (double)fact->n[1]), one ? "was" : "were", say_count(visit,
                                                                                            fact->n[2]));
}

SENTENCE(heap_grows)
{
    (void)fact;
    return arena_print(visit->arena, "The JavaScript heap grows by %s.", say_rate_of(visit, out));
}

SENTENCE(heap_collections)
{
    return arena_print(visit->arena,
                       "Live size after each of %s full collections since %s %s kept rising: from %s to %s.",
                       say_count(visit, fact->n[0]), say_tick_name(visit), say_count(visit, out->since),
                       say_size(visit, (double)fact->n[1]), say_size(visit, (double)fact->n[2]));
}

SENTENCE(heap_grew_silently)
{
    (void)out;
    return arena_print(visit->arena,
                       "The heap of JavaScript grew from %s to %s while the script did not return to "
                       "its event loop.",
                       say_size(visit, (double)fact->n[0]), say_size(visit, (double)fact->n[1]));
}

SENTENCE(heap_behind_collections)
{
    (void)out;
    return arena_print(visit->arena,
                       "The heap was larger after each of %llu collections. Without steps this may be "
                       "a leak, or something that is built up once.",
                       (unsigned long long)fact->n[0]);
}

SENTENCE(heap_not_collected)
{
    (void)visit, (void)out, (void)fact;
    return "It was not collected in this time, so all of it may be garbage.";
}

SENTENCE(heap_grew_serving)
{
    (void)out;
    return arena_print(visit->arena,
                       "The JavaScript heap grew from %s to %s after collections. Too little was seen: "
                       "it may be warm-up, or a leak.",
                       say_size(visit, (double)fact->n[0]), say_size(visit, (double)fact->n[1]));
}

SENTENCE(heap_unseen)
{
    (void)out;
    return arena_print(visit->arena,
                       "The JavaScript heap has %s in use at the end and had %s after the latest collection. "
                       "No collection came in the last quarter of the run: it may be garbage, or a leak.",
                       say_size(visit, (double)fact->n[1]), say_size(visit, (double)fact->n[0]));
}

/* ---- the pool of a device ---- */

SENTENCE(device_pool_grows)
{
    (void)out;
    return arena_print(visit->arena, "The pool of the device's buffers grows by %s: ever new sizes.",
                       say_rate(visit, fact->rate));
}

SENTENCE(device_pool_free)
{
    (void)out;
    return arena_print(visit->arena, "Free in it were %s at %s %llu and %s at the last; in use are %s.",
                       say_size(visit, (double)fact->n[0]), say_tick_name(visit),
                       (unsigned long long)fact->n[1], say_size(visit, (double)fact->n[2]),
                       say_size(visit, (double)fact->n[3]));
}

SENTENCE(device_pool_unused)
{
    (void)out;
    return arena_print(visit->arena,
                       "Of %llu sampled buffers of this line that are old enough %llu were never used "
                       "again: each waits for a tensor of exactly its size.",
                       (unsigned long long)fact->n[0], (unsigned long long)fact->n[1]);
}

/* ---- free memory that is kept ---- */

SENTENCE(arenas_hold)
{
    (void)out;
    return arena_print(visit->arena,
                       "Python's arenas for small objects keep %s that no object uses.",
                       say_size(visit, (double)fact->n[0]));
}

SENTENCE(arenas_take)
{
    (void)out;
    return arena_print(visit->arena, "The arenas take %s; %s objects are alive in them.",
                       say_size(visit, (double)fact->n[0]), say_count(visit, fact->n[1]));
}

SENTENCE(arenas_had)
{
    (void)out;
    return arena_print(visit->arena,
                       "At %s %s there were %s; an arena is freed only when its last object is freed.",
                       say_tick_name(visit), say_count(visit, fact->n[0]), say_count(visit, fact->n[1]));
}

SENTENCE(resident_grew)
{
    (void)out;
    return arena_print(visit->arena,
                       "Resident size grew by %s more than live and mapped memory; live memory "
                       "changed by %s%s.",
                       say_size(visit, (double)fact->n[0]), fact->n[2] ? "-" : "",
                       say_size(visit, (double)fact->n[1]));
}

SENTENCE(allocator_keeps)
{
    (void)out;
    return arena_print(visit->arena, "The allocator keeps %s that the program has freed.",
                       say_size(visit, (double)fact->n[0]));
}

SENTENCE(grew_between)
{
    (void)out;
    return arena_print(visit->arena, "That was between %s %s and %s.", say_ticks_name(visit),
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[1]));
}

SENTENCE(live_flat)
{
    (void)visit, (void)out, (void)fact;
    return "Live memory is flat, and what the allocator keeps no longer grows.";
}

SENTENCE(not_trimmed)
{
    (void)visit, (void)out, (void)fact;
    return "No trim was made, so it is not known how much could be returned.";
}

SENTENCE(trimmed)
{
    (void)out;
    return arena_print(visit->arena, "A trim returned %s to the system.", say_size(visit,
                                                                                   (double)fact->n[0]));
}

/* ---- not enough, slowing, stopped ---- */

SENTENCE(may_grow)
{
    (void)fact;
    return arena_print(visit->arena, "May grow by %s; too little was seen to decide.",
                       say_rate_of(visit, out));
}

SENTENCE(old_blocks)
{
    (void)out;
    return arena_print(visit->arena,
                       "The number of live blocks rises, and %s old block%s of %s %s %s still alive.",
                       say_count(visit, fact->n[0]), fact->n[0] == 1 ? "" : "s", say_count(visit,
                                                                                           fact->n[1]),
                       fact->n[1] == 1 ? say_tick_name(visit) : say_ticks_name(visit),
                       fact->n[0] == 1 ? "is" : "are");
}

/* Where evidence is missing altogether, the answer says what is needed. Slices of time are nothing that a
 * user could count. */
SENTENCE(more_needed)
{
    const double seconds = (double)out->more_steps * visit->clock.seconds;

    (void)fact;
    if (visit->lacks.id != FACT_none)
        return NULL;
    if (visit->clock.id == CLOCK_time)
        return arena_print(visit->arena, "%.1f to %.1f s more are needed to decide.", seconds, 2 * seconds);
    return arena_print(visit->arena, "%s to %s more %s are needed to decide.",
                       say_count(visit, out->more_steps), say_count(visit, 2 * out->more_steps),
                       say_ticks_name(visit));
}

SENTENCE(slows)
{
    (void)fact;
    return arena_print(visit->arena, "Grows by %s, more and more slowly.", say_rate_of(visit, out));
}

SENTENCE(fewer_added)
{
    (void)out;
    return arena_print(visit->arena,
                       "%s of %s old blocks are still alive, but fewer are added than before.",
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[0] + fact->n[1]));
}

SENTENCE(kept_so_far)
{
    const char *kept = say_size(visit, (double)fact->n[0]);

    if (visit->clock.id == CLOCK_time)
        return arena_print(visit->arena, "%s kept so far, in %.2g s.", kept,
                           (double)(visit->series.ticks - out->since) * visit->clock.seconds);
    return arena_print(visit->arena, "%s kept so far, since %s %s.", kept, say_tick_name(visit),
                       say_count(visit, out->since));
}

SENTENCE(stopped)
{
    (void)out;
    return arena_print(visit->arena, "Rose by %s, then stopped at %s %s.", say_size(visit,
                                                                                    (double)fact->n[0]),
                       say_tick_name(visit), say_count(visit, fact->n[1]));
}

SENTENCE(blocks_added)
{
    (void)out;
    return arena_print(visit->arena, "%s blocks were added between %s %s and %s, and none in the %s since.",
                       say_count(visit, fact->n[0]), say_ticks_name(visit), say_count(visit, fact->n[1]),
                       say_count(visit, fact->n[2]), say_count(visit, visit->series.ticks - fact->n[2]));
}

SENTENCE(will_stop)
{
    (void)out;
    return arena_print(visit->arena, "Will stop at %s=%llu: about %s.", fact->n[2] ? "maxlen" : "maxsize",
                       (unsigned long long)fact->n[0], say_size(visit, (double)fact->n[1]));
}

/* ---- growth that nothing explains ---- */

static const char *span_of(const struct visit *visit, const struct fact *fact)
{
    if (fact->n[3] == SPAN_TICKS)
        return say_ticks(visit, fact->n[2]);
    if (fact->n[3] == SPAN_RETURNS)
        return arena_print(visit->arena, "%llu returns of the loop that counts",
                           (unsigned long long)fact->n[2]);
    return arena_print(visit->arena, "%.*f s", fact->n[2] < 10000000000u, (double)fact->n[2] / 1e9);
}

SENTENCE(unexplained_rise)
{
    static const char *const names[] = {
        [QUANTITY_LIVE] = "Live memory",
        [QUANTITY_ARENAS] = "The memory that the interpreter has mapped for small objects",
        [QUANTITY_RESIDENT] = "The resident size"};

    (void)out;
    return arena_print(visit->arena,
                       "%s rose by %s over the last %s, and no line explains it.",
                       names[fact->n[0]], say_size(visit, (double)fact->n[1]), span_of(visit, fact));
}

SENTENCE(unseen_allocator)
{
    (void)out;
    return arena_print(visit->arena,
                       "%s come from an allocator inside a library that uses neither malloc nor "
                       "mmap of the C library; tare cannot see which lines use it.",
                       say_size(visit, (double)fact->n[0]));
}

/* ---- devices ---- */

SENTENCE(device_counted)
{
    (void)fact;
    return arena_print(visit->arena, "Grows by %s, by its framework's own count of what is in use.",
                       say_rate_of(visit, out));
}

SENTENCE(device_takes)
{
    (void)fact;
    return arena_print(visit->arena,
                       "The framework's pool takes %s more, although what is in use does not grow: its free "
                       "memory lies in pieces.",
                       say_rate_of(visit, out));
}

SENTENCE(device_spare)
{
    return arena_print(visit->arena, "The framework's pool on device %u has taken %s, and %s of it are free.",
                       out->device, say_size(visit, (double)fact->n[1]), say_size(visit, (double)fact->n[0]));
}

SENTENCE(device_spare_kept)
{
    const char *made = fact->place && fact->place->file
                           ? arena_print(visit->arena, ", most of it beside a block made at %s:%u",
                                         fact->place->file, fact->place->line)
                           : "";

    (void)out;
    return arena_print(visit->arena, "The pool can return %s; %s lie beside blocks in use%s.",
                       say_size(visit, (double)fact->n[0]), say_size(visit, (double)fact->n[1]), made);
}

SENTENCE(device_pieces)
{
    return arena_print(visit->arena,
                       "A request for %s failed on device %u although %s were free: the free memory lies in "
                       "pieces.",
                       say_size(visit, (double)fact->n[0]), out->device, say_size(visit, (double)fact->n[1]));
}

SENTENCE(device_pieces_used)
{
    (void)out;
    return arena_print(visit->arena, "%s were in use then, of %s that the pool had taken.",
                       say_size(visit, (double)fact->n[0]), say_size(visit, (double)fact->n[1]));
}
