/* unwatched.c - see unwatched.h. */
#include "doctor/run/unwatched.h"

#include <math.h>

#include "base/arena.h"
#include "doctor/facts/rules.h"

#define SECOND 1e9

static double seconds_between(uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) / SECOND : 0;
}

/* The last time that anything of the run was seen. */
static uint64_t end_of(const struct model *own)
{
    uint64_t end = own->head.seen_mono;

    for (size_t i = 0; i < own->process_count; i++)
        if (own->processes[i].end > end)
            end = own->processes[i].end;
    return end;
}

/* Seconds from which on a process matters. */
static double least_life(const struct model *own, uint64_t end)
{
    const double run = seconds_between(own->head.start_mono, end);

    return fmax(RULE_UNWATCHED_LEAST, fmin(RULE_UNWATCHED_LONG, run * RULE_UNWATCHED_SHARE));
}

const struct unwatched_process *unwatched_find(const struct model *own, struct arena *arena)
{
    const uint64_t end = own ? end_of(own) : 0;
    const double least = own ? least_life(own, end) : 0;
    struct unwatched_process *longest = NULL;
    size_t count = 0;

    for (size_t i = 0; own && i < own->process_count; i++) {
        const struct process_record *record = &own->processes[i];
        const double life = seconds_between(record->start, record->end ? record->end : end);

        if (!own->process_untraced[i] || life < least)
            continue;
        if (!longest)
            longest = arena_take(arena, 1, sizeof(*longest));
        if (!longest)
            return NULL;
        count++;
        if (count == 1 || life > longest->seconds)
            *longest = (struct unwatched_process){
                .pid = record->pid,
                .name = arena_print(arena, "%s", own->process_names[i] ? own->process_names[i] : ""),
                .reason = arena_print(arena, "%s", own->process_untraced[i]),
                .seconds = life};
    }
    if (longest)
        longest->others = count - 1;
    return longest;
}

const char *unwatched_words(const struct unwatched_process *unwatched, struct arena *arena)
{
    if (unwatched->others == 0)
        return arena_print(arena, "process %u (%s) was not watched: %s", unwatched->pid, unwatched->name,
                           unwatched->reason);
    return arena_print(arena, "process %u (%s) and %zu more were not watched: %s", unwatched->pid,
                       unwatched->name, unwatched->others, unwatched->reason);
}
