/* say.c - see say.h. */
#include "doctor/say/say.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "doctor/say/native_words.h"
#include "doctor/say/remedies.h"
#include "doctor/say/sentences.h"
#include "doctor/source/places.h"
#include "ledger/model.h"
#include "ledger/unsearched.h"

/* ---- pieces of sentences ---- */

const char *say_size(const struct visit *visit, double bytes)
{
    char out[TEXT_SIZE_MAX];

    return arena_print(visit->arena, "%s", text_size(out, (uint64_t)fmax(0, bytes + 0.5)));
}

const char *say_count(const struct visit *visit, uint64_t count)
{
    char out[TEXT_SIZE_MAX];

    return arena_print(visit->arena, "%s", text_count(out, count));
}

const char *say_ticks_name(const struct visit *visit)
{
    return clock_ticks_name(visit->clock.id, 2);
}

const char *say_tick_name(const struct visit *visit)
{
    return clock_tick_name(visit->clock.id);
}

const char *say_ticks(const struct visit *visit, uint64_t count)
{
    return arena_print(visit->arena, "%s %s", say_count(visit, count),
                       clock_ticks_name(visit->clock.id, count));
}

const char *say_rate(const struct visit *visit, double per_tick)
{
    return arena_print(visit->arena, "%s per %s", say_size(visit, per_tick * clock_scale(&visit->clock)),
                       clock_rate_name(visit->clock.id));
}

static const char *on_device(const struct visit *visit, const struct finding *out)
{
    return out->memory == MEMORY_DEVICE ? arena_print(visit->arena, " on device %u", out->device) : "";
}

const char *say_rate_of(const struct visit *visit, const struct finding *out)
{
    return arena_print(visit->arena, "%s per %s%s", say_size(visit, out->rate.estimate),
                       clock_rate_name(visit->clock.id),
                       on_device(visit, out));
}

const char *sentence_of(const struct visit *visit, const struct finding *out, const struct fact *fact)
{
    static sentence_fn *const sentences[] = {
        NULL, /* FACT_none */
#define FACT(name, numbers) sentence_##name,
#include "doctor/facts/facts.def"
#undef FACT
    };

    return fact->id != FACT_none ? sentences[fact->id](visit, out, fact) : NULL;
}

/* ---- one finding ---- */

static const char *say_pause(const struct visit *visit, uint64_t ns)
{
    return ns < 1000000000 ? arena_print(visit->arena, "%llu ms", (unsigned long long)(ns / 1000000))
                           : arena_print(visit->arena, "%.1f s", (double)ns / 1e9);
}

static const char *unsearched(const struct visit *visit, const struct finding *finding)
{
    if (finding->unsearched_why == UNSEARCHED_pause && finding->unsearched_pause)
        return arena_print(visit->arena, "a copy of the process would have paused it for about %llu ms",
                           (unsigned long long)(finding->unsearched_pause / 1000000));
    if (finding->unsearched_why == UNSEARCHED_heap_pause && finding->unsearched_most)
        return arena_print(visit->arena,
                           "a heap snapshot would pause the program for about %s, more than --max-pause "
                           "%llu ms",
                           say_pause(visit, finding->unsearched_pause),
                           (unsigned long long)(finding->unsearched_most / 1000000));
    return unsearched_text(finding->unsearched_why);
}

static void say_evidence(struct finding *said, const struct visit *visit)
{
    said->evidence = arena_take(visit->arena, said->fact_count + 1, sizeof(*said->evidence));
    said->evidence_count = 0;
    for (unsigned i = 0; said->evidence && i < said->fact_count; i++) {
        const char *sentence = sentence_of(visit, said, &said->facts[i]);

        if (sentence)
            said->evidence[said->evidence_count++] = sentence;
    }
}

static struct finding said_of(const struct finding *finding, const struct visit *visit)
{
    struct finding said = *finding;

    said.unsearched = unsearched(visit, finding);
    if (finding->holder.id != FACT_none)
        said.held_by = sentence_of(visit, &said, &finding->holder);
    said.summary = sentence_of(visit, &said, &finding->headline);
    said.made_in = native_words(visit->arena, finding);
    said.remedy = remedy_of(finding, visit->arena);
    say_evidence(&said, visit);
    return said;
}

/* ---- the process ---- */

static void say_notes(struct process_report *report, const struct visit *visit)
{
    const size_t count = report->note_count + visit->note_count;
    const char **notes = visit->note_count ? arena_take(visit->arena, count, sizeof(*notes)) : NULL;

    if (!notes)
        return;
    if (report->note_count > 0)
        memcpy(notes, report->notes, report->note_count * sizeof(*notes));
    for (size_t i = 0; i < visit->note_count; i++)
        notes[report->note_count + i] = sentence_of(visit, NULL, &visit->notes[i]);
    report->notes = notes;
    report->note_count = count;
}

/* The line of a site; NULL: lines are not known. */
static const struct place *line_of(const struct visit *visit, uint32_t site)
{
    const struct place *places = NULL;
    size_t count = 0;

    if (visit->places && site > 0 && site <= visit->model->site_count)
        places_of(visit->places, visit->model->sites[site - 1].stack, &places, &count);
    return count > 0 ? places : NULL;
}

static void say_trail(struct process_report *report, const struct visit *visit)
{
    struct trail_line *lines = arena_take(visit->arena, visit->trail_count + 1, sizeof(*lines));

    if (!lines)
        return;
    for (size_t i = 0; i < visit->trail_count; i++)
        lines[i] = (struct trail_line){sentence_of(visit, NULL, &visit->trail[i].fact),
                                       line_of(visit, visit->trail[i].site)};
    report->trail = lines;
    report->trail_count = visit->trail_count;
    if (visit->trail_lost > 0)
        lines[report->trail_count++] = (struct trail_line){
            .text = arena_print(visit->arena, "%s more lines did not fit.",
                                say_count(visit, visit->trail_lost))};
}

static void say_keepings(struct process_report *report, const struct visit *visit)
{
    struct keeping *table = report->keeping_count
                                ? arena_take(visit->arena, report->keeping_count, sizeof(*table))
                                : NULL;

    if (!table)
        return;
    memcpy(table, report->keepings, report->keeping_count * sizeof(*table));
    for (size_t i = 0; i < report->keeping_count; i++)
        if (table[i].largest > 0)
            table[i].held_by = report->findings[table[i].largest - 1].held_by;
    report->keepings = table;
}

void say_process(struct process_report *report, const struct visit *visit)
{
    struct finding *said = arena_take(visit->arena, report->finding_count + 1, sizeof(*said));

    if (!said)
        return;
    for (size_t i = 0; i < report->finding_count; i++)
        said[i] = said_of(&report->findings[i], visit);
    report->findings = said;
    say_keepings(report, visit);
    report->answer = say_answer(visit, report);
    say_notes(report, visit);
    say_trail(report, visit);
}
