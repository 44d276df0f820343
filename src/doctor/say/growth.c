/* growth.c - sentences about memory that grows, and about what a collection or a search said of it. */
#include "doctor/say/sentences.h"

#include "ledger/model.h"

/* ---- headlines ---- */

static const char *since(const struct visit *visit, const struct finding *out)
{
    return arena_print(visit->arena, "%s since %s %s", say_rate_of(visit, out), say_tick_name(visit),
                       say_count(visit, out->since));
}

SENTENCE(waits)
{
    (void)fact;
    return arena_print(visit->arena, "%s: %s.",
                       out->endless ? "Garbage piles up because Python's collector is switched off"
                           : "Garbage waits for the collector",
                       since(visit, out));
}

SENTENCE(may_grow_turnless)
{
    (void)fact;
    return arena_print(visit->arena,
                       "May grow by %s: native memory is freed by finalizers on the event loop, "
                       "and the event loop never ran.",
                       say_rate_of(visit, out));
}

SENTENCE(may_grow_uncollected)
{
    (void)fact;
    return arena_print(visit->arena,
                       "May grow by %s: no collection ran, so all of it may be garbage.",
                       say_rate_of(visit, out));
}

SENTENCE(may_grow_unmet)
{
    (void)fact;
    return arena_print(visit->arena,
                       "May grow by %s: the last collection ran before this memory was allocated, so it "
                       "may be garbage.",
                       say_rate_of(visit, out));
}

SENTENCE(may_grow_collected_late)
{
    (void)fact;
    return arena_print(visit->arena,
                       "May grow by %s: the collection at the end of the program freed most of it, so it "
                       "may have been garbage.",
                       say_rate_of(visit, out));
}

SENTENCE(grows)
{
    const uint64_t followed = fact->n[1];

    return arena_print(visit->arena, "Grows by %s; %s in %s%s %s.", since(visit, out),
                       fact->n[0] ? "almost nothing was released" : "nothing was released",
                       followed ? "the observed " : "",
                       say_count(visit, followed ? followed : visit->series.ticks - out->since + 1),
                       say_ticks_name(visit));
}

SENTENCE(leaks)
{
    (void)fact;
    return arena_print(visit->arena, "Leaks %s.", since(visit, out));
}

SENTENCE(leaks_in_library)
{
    (void)fact;
    return arena_print(visit->arena, "Leaks %s, in %s, not in your code.", since(visit, out), out->library);
}

SENTENCE(grows_compiling)
{
    (void)fact;
    return arena_print(visit->arena, "Grows by %s, including everything that this call compiles.",
                       since(visit, out));
}

/* ---- evidence ---- */

SENTENCE(survived)
{
    static const char *const units[] = {[UNIT_BLOCKS] = "blocks",
                                        [UNIT_MAPPINGS] = "mappings",
                                        [UNIT_SHARED] = "pieces of shared memory"};

    const char *const end = fact->n[6] ? arena_print(visit->arena, "were still alive after %s %s, when they "
                                                                   "were last observed",
                                                     say_count(visit, fact->n[6]), say_ticks_name(visit))
                                       : "are still alive";

    (void)out;
    return arena_print(visit->arena, "%s of %s %s%s allocated in %s %s-%s %s.",
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[0] + fact->n[1]),
                       fact->n[4] ? "" : "sampled ", units[fact->n[5]], say_ticks_name(visit),
                       say_count(visit, fact->n[2]), say_count(visit, fact->n[3]), end);
}

SENTENCE(name_left)
{
    (void)visit, (void)out, (void)fact;
    return "They are unmapped, but the kernel keeps shared memory until its name is removed.";
}

SENTENCE(vain_trim)
{
    (void)out;
    return arena_print(visit->arena, "Not fragmentation: a trim freed nothing, and %s stayed live.",
                       say_size(visit, (double)fact->n[0]));
}

SENTENCE(resident_rose)
{
    (void)out;
    return arena_print(visit->arena, "Resident size grew by %s.", say_rate(visit, fact->rate));
}

SENTENCE(no_turn)
{
    (void)visit, (void)out, (void)fact;
    return "The event loop did not run while this line allocated, so native memory could not be "
           "freed; most of it was freed afterwards.";
}

SENTENCE(collected)
{
    (void)out;
    return arena_print(visit->arena, "%s %s of the %s sampled %s allocated here were still alive.",
                       fact->n[3]   ? "After a collection at the end of the program"
                       : fact->n[4] ? "After V8's second-to-last full collection"
                                    : "After a collection",
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[0] + fact->n[1]),
                       fact->n[2] ? "tensors" : "blocks");
}

SENTENCE(collector_off)
{
    (void)visit, (void)out, (void)fact;
    return "Python's collector is switched off, so reference cycles are never freed.";
}

SENTENCE(lost)
{
    (void)visit, (void)out, (void)fact;
    return "Nothing in the program points to them any more.";
}

SENTENCE(not_searched)
{
    (void)fact;
    return arena_print(visit->arena, "The holder was not searched for%s%s.", out->unsearched ? ": " : "",
                       out->unsearched ? out->unsearched : "");
}

SENTENCE(cycle)
{
    (void)out;
    return arena_print(visit->arena, "They are part of %s.", fact->text);
}

SENTENCE(mapped_by)
{
    (void)out;
    return arena_print(visit->arena,
                       "It is mapped by %s without malloc, so tare cannot see how much of it is in use.",
                       fact->text);
}

/* ---- what waits ---- */

SENTENCE(lag_script)
{
    (void)out;
    return arena_print(visit->arena,
                       "Collections that tare requested freed %s of its sampled blocks (%s); V8 "
                       "had not collected them on its own.",
                       say_count(visit, fact->n[0]), say_size(visit, (double)fact->n[1]));
}

SENTENCE(lag_python)
{
    (void)out;
    return arena_print(visit->arena, "A collection at %s %s found %s unreachable objects.",
                       say_tick_name(visit), say_count(visit, fact->n[0]), say_count(visit, fact->n[1]));
}

SENTENCE(device_in_flight)
{
    (void)out;
    return arena_print(visit->arena,
                       "The device had unfinished work: when tare waited for it, %s of live "
                       "memory were freed within %llu steps.",
                       say_size(visit, (double)fact->n[0]), (unsigned long long)fact->n[1]);
}

/* ---- who holds it ---- */

SENTENCE(bound_declared)
{
    (void)out;
    return arena_print(visit->arena,
                       "Its limit is %s entries; it held %s when it was inspected, and its "
                       "blocks take %s now.",
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[1]),
                       say_size(visit, (double)fact->n[2]));
}

SENTENCE(cache_hits)
{
    (void)out;
    return arena_print(visit->arena, "The cache has no size limit; %s of %s calls were hits (%.0f%%).",
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[1]),
                       100.0 * (double)fact->n[0] / (double)fact->n[1]);
}

SENTENCE(keyed_store)
{
    (void)out;
    return arena_print(visit->arena, "It is a mapping without a size limit; it has %s entries.",
                       say_count(visit, fact->n[0]));
}

SENTENCE(held_in_snapshot)
{
    (void)out;
    return arena_print(visit->arena,
                       "In the heap snapshot %s recent objects of %s are held this way: %llu%% "
                       "of the bytes checked.",
                       say_count(visit, fact->n[0]), say_size(visit, (double)fact->n[1]),
                       (unsigned long long)fact->n[2]);
}

SENTENCE(read_by_key)
{
    (void)out;
    return arena_print(visit->arena, "%s is read by key as well: a cache that nothing bounds.", fact->text);
}

SENTENCE(one_statement)
{
    (void)visit, (void)out, (void)fact;
    return "Of the source only one statement keeps what is made here; who holds it was not seen.";
}

SENTENCE(by_name)
{
    (void)visit, (void)out, (void)fact;
    return "the name of this shared memory, which was not removed";
}

SENTENCE(by_versions)
{
    const struct model_trace *trace = fact->trace;
    const char *versions = arena_print(visit->arena, "%s compiled versions of %s",
                                       say_count(visit, fact->n[0]), trace->function);

    (void)out;
    return trace->line ? arena_print(visit->arena, "%s (%s:%u)", versions, trace->file, trace->line)
                       : versions;
}

SENTENCE(by_store)
{
    (void)out;
    return arena_print(visit->arena, "%s, by %s entries (%s at first)", fact->text,
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[1]));
}

SENTENCE(by_device_pool)
{
    (void)visit, (void)out, (void)fact;
    return "the backend: its pool of free buffers, by exact size";
}

/* ---- functions that are compiled, and stores of frameworks ---- */

static const char *why_again(const struct visit *visit, const struct model_trace *trace)
{
    switch (trace->change) {
    case CHANGE_VALUE:
        return arena_print(visit->arena, "a Python value that is part of the compiled code changed (%s)",
                           trace->argument);
    case CHANGE_SHAPE:
        return arena_print(visit->arena, "the shape of an argument changed (%s)", trace->argument);
    case CHANGE_TYPE:
        return arena_print(visit->arena, "the type of an argument changed (%s)", trace->argument);
    case CHANGE_OBJECT:
        return arena_print(visit->arena, "an argument was another object (%s)", trace->argument);
    case CHANGE_FUNCTION:
        return "the function itself was created again";
    case CHANGE_CONTEXT:
        return "it was called in another context";
    }
    return "its arguments were new";
}

SENTENCE(compiled_again)
{
    (void)out;
    return arena_print(visit->arena, "%s was compiled %s times here, the last time in %s %s: %s.",
                       fact->trace->function, say_count(visit, fact->trace->count), say_tick_name(visit),
                       say_count(visit, fact->n[0]), why_again(visit, fact->trace));
}

SENTENCE(compiled_here)
{
    (void)out;
    return arena_print(visit->arena,
                       "%s was compiled %s times here: this is no more than what JAX keeps of "
                       "every compilation for itself.",
                       fact->trace->function, say_count(visit, fact->trace->count));
}

SENTENCE(store_gained)
{
    (void)out;
    return arena_print(visit->arena, "%s: %s more entries than at first. Each keeps what it uses.",
                       fact->text,
                       say_count(visit, fact->n[0]));
}

SENTENCE(tensors_counted)
{
    (void)out;
    return arena_print(visit->arena,
                       "The number of tensors does not grow (%s now, %s at most): these "
                       "are TensorFlow's own records of scalars and iterators.",
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[1]));
}
