/* trail.c - what each rule said, for `tare explain --why`. */
#include "base/text.h"
#include "doctor/judge/group.h"
#include "doctor/measure/cohort.h"
#include "doctor/say/sentences.h"
#include "ledger/writer.h"

static const char *column_name(const struct visit *visit, uint64_t column)
{
    switch (column) {
    case SERIES_MAPS:
        return "mappings";
    case SERIES_TOTAL:
        return "blocks of all sizes";
    case SERIES_OBJECTS:
        return "small objects";
    case SERIES_TENSORS:
        return "tensors";
    case SERIES_DEVICE:
        return "blocks on devices";
    default:
        return arena_print(visit->arena, "blocks of %s and more",
                           say_size(visit, (double)ledger_class_floor((unsigned)column)));
    }
}

SENTENCE(why_clock)
{
    (void)out;
    return arena_print(visit->arena, "Clock: %s seen; %s.", say_ticks(visit, fact->n[0]),
                       fact->text ? fact->text : "nothing ticks");
}

SENTENCE(why_rising)
{
    (void)out;
    return arena_print(visit->arena, "%s of %s size classes rise in nearly all eighths of a window.",
                       say_count(visit, fact->n[0]), say_count(visit, fact->n[1]));
}

SENTENCE(why_suspected)
{
    (void)out;
    return arena_print(visit->arena, "Suspected: %s, by %.3g per %s from %s %s on.",
                       column_name(visit, fact->n[0]), fact->rate, say_tick_name(visit), say_tick_name(visit),
                       say_count(visit, fact->n[1] + 1));
}

static const char *became(uint64_t state)
{
    switch (state) {
    case COHORT_RELEASED:
        return "cleared: the old ones are released, or do not make the class grow";
    case COHORT_STOPPED:
        return "cleared: the growth has stopped";
    case COHORT_SLOWING:
        return "not decided: the growth slows down";
    case COHORT_SHORT:
        return "not decided: too few have grown old";
    }
    return "convicted: the old ones stay, and new ones come";
}

SENTENCE(why_cohort)
{
    (void)out;
    return arena_print(visit->arena,
                       "Cohort of %s: %s. Old: %s alive, %s released, from %s %s; chance %.1g; %s.",
                       column_name(visit, fact->n[0]), became(fact->n[1]), say_count(visit, fact->n[2]),
                       say_count(visit, fact->n[3]), say_count(visit, fact->n[4]), say_ticks_name(visit),
                       fact->least, say_rate(visit, fact->rate));
}

SENTENCE(why_detector)
{
    (void)out;
    return arena_print(visit->arena, "Detector of %s: %s.", fact->text,
                       fact->n[0] == 0 ? "found nothing"
                                       : arena_print(visit->arena, "%s finding%s",
                                                     say_count(visit, fact->n[0]),
                                                     fact->n[0] == 1 ? "" : "s"));
}

SENTENCE(why_explained)
{
    const char *note = demotion_name((enum demotion)fact->n[2]);

    (void)out;
    if (fact->n[0] != fact->n[1])
        return arena_print(visit->arena, "Explained: %s. %s became %s.", fact->text,
                           kind_name((enum kind)fact->n[0]), kind_name((enum kind)fact->n[1]));
    return arena_print(visit->arena, "Explained: %s%s%s.", fact->text, note ? "; a note: " : "",
                       note ? note : "");
}

SENTENCE(why_joined)
{
    static const char *const causes[] = {[CAUSE_NONE] = "", [CAUSE_CALL] = "one call compiles both",
                                         [CAUSE_STORE_LINE] = "one statement stores both",
                                         [CAUSE_CONTAINER] = "one container holds both",
                                         [CAUSE_STORE] = "one store of the framework holds both",
                                         [CAUSE_RECORDS] = "the host keeps records of what is on the device"};

    (void)out;
    return arena_print(visit->arena, "Joined (%s per %s) with another line: %s.", say_size(visit, fact->rate),
                       clock_rate_name(visit->clock.id), causes[fact->n[0]]);
}

SENTENCE(why_note)
{
    static const char *const says[] = {
        [DEMOTED_none] = "",
#define DEMOTION(name, spelling, says) [DEMOTED_##name] = says,
#include "doctor/facts/demotions.def"
#undef DEMOTION
    };

    (void)out;
    return arena_print(visit->arena, "Only a note: %s (%s per %s; the floor is %s).", says[fact->n[0]],
                       say_size(visit, fact->rate), clock_rate_name(visit->clock.id),
                       say_size(visit, fact->least));
}

SENTENCE(why_dropped)
{
    (void)out;
    return arena_print(visit->arena, "Dropped: all growth together is %s per %s, and below %s is nothing.",
                       say_size(visit, fact->rate), clock_rate_name(visit->clock.id),
                       say_size(visit, fact->least));
}

SENTENCE(why_withdrawn)
{
    (void)out, (void)fact;
    return arena_print(visit->arena, "Withdrawn: %s.",
                       visit->lacks.id != FACT_none ? sentence_of(visit, NULL, &visit->lacks)
                                                    : "too little was seen");
}

SENTENCE(why_reported)
{
    (void)out;
    return arena_print(visit->arena, "Reported: %s, %s per %s.", kind_name((enum kind)fact->n[0]),
                       say_size(visit, fact->rate), clock_rate_name(visit->clock.id));
}
