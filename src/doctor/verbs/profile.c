/* profile.c - see profile.h. */
#include "doctor/verbs/profile.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/source/places.h"
#include "doctor/source/source.h"
#include "doctor/run/summary.h"
#include "doctor/source/symbols.h"
#include "ledger/model.h"

static const struct {
    const char *name, *unit;
} values[PROFILE_VALUES] = {
#define VALUE(number, name, spelling, unit, says) [number] = {spelling, unit},
#include "doctor/verbs/profile_values.def"
#undef VALUE
};

const char *profile_value_name(enum profile_value value)
{
    return values[value].name;
}

const char *profile_value_unit(enum profile_value value)
{
    return values[value].unit;
}

int profile_value_called(const char *name)
{
    for (int i = 0; i < PROFILE_VALUES; i++)
        if (strcmp(values[i].name, name) == 0)
            return i;
    return -1;
}

static const struct model *model_of(const struct run *run, const struct process_report *report)
{
    for (size_t i = 0; i < run->process_count; i++)
        if (run->processes[i]->head.pid == report->pid &&
            run->processes[i]->head.generation == report->generation)
            return run->processes[i];
    return NULL;
}

/* Memory that a finding reports may be released at the end, for example when a local variable goes. Then the
 * rate of the finding is the growth. */
static double found_growth(const struct profile_process *process, uint32_t stack)
{
    double growth = 0;

    for (size_t i = 0; i < process->report->finding_count; i++) {
        const struct finding *finding = &process->report->findings[i];

        if (finding->site > 0 && finding->site <= process->model->site_count &&
            process->model->sites[finding->site - 1].stack == stack && finding->rate.estimate > 0)
            growth += finding->rate.estimate;
    }
    return growth;
}

/* The finding about this stack that has native code; NULL: none. */
static const struct finding *found_native(const struct profile_process *process, uint32_t stack)
{
    for (size_t i = 0; i < process->report->finding_count; i++) {
        const struct finding *finding = &process->report->findings[i];

        if (finding->native_count > 0 && finding->site > 0 &&
            finding->site <= process->model->site_count &&
            process->model->sites[finding->site - 1].stack == stack)
            return finding;
    }
    return NULL;
}

static struct place place_of_native(const struct native_place *native, struct arena *arena)
{
    const char *function = native->function ? native->function : native->module;

    return (struct place){.file = native->file,
                          .line = native->line,
                          .function = native->beyond > 0 ? arena_print(arena, "near %s", function) : function,
                          .module = native->module,
                          .language = LANGUAGE_NATIVE};
}

/* Puts the native code and the functions of libraries, from the allocation outwards, before the line of the
 * user. */
static void add_inner(struct profile_sample *sample, const struct finding *finding, struct arena *arena)
{
    const size_t count = finding->native_count + finding->library_count;
    struct place *all = arena_take(arena, count + sample->place_count, sizeof(*all));
    size_t used = 0;

    for (size_t i = 0; all && i < finding->native_count; i++)
        if (!finding->native[i].serves && finding->native[i].module)
            all[used++] = place_of_native(&finding->native[i], arena);
    for (size_t i = 0; all && i < finding->library_count; i++)
        all[used++] = finding->library_at[i];
    if (!all)
        return;
    if (sample->place_count > 0)
        memcpy(all + used, sample->places, sample->place_count * sizeof(*all));
    sample->places = all;
    sample->place_count += used;
}

static struct profile_sample sample_of(const struct profile_process *process,
                                       const struct summary_row *row, double ticks,
                                       struct places *places, struct arena *arena)
{
    const struct finding *finding = found_native(process, row->stack);
    struct profile_sample sample = {.map = row->map, .stack = row->stack};
    double growth = ticks > 0 ? (double)row->newer / ticks : 0;

    places_of(places, row->stack, &sample.places, &sample.place_count);
    if (finding)
        add_inner(&sample, finding, arena);
    sample.values[PROFILE_live_blocks] = (uint64_t)(row->blocks + 0.5);
    sample.values[PROFILE_live_bytes] = row->live;
    sample.values[PROFILE_allocated_bytes] = row->born;
    sample.values[PROFILE_peak_bytes] = row->peak;
    if (growth <= 0)
        growth = found_growth(process, row->stack);
    sample.values[PROFILE_growth_bytes] = (uint64_t)(growth + 0.5);
    return sample;
}

static bool is_empty(const struct profile_sample *sample)
{
    for (size_t i = 0; i < PROFILE_VALUES; i++)
        if (sample->values[i] > 0)
            return false;
    return true;
}

static int fill(struct profile_process *out, const char *directory, struct symbols *symbols,
                struct sources *sources, struct arena *arena, struct why *why)
{
    const struct model *model = out->model;
    struct summary_row *rows = mem_zalloc_array(model->site_count + 1, sizeof(*rows));
    struct places *places = places_new(model, symbols, sources, arena);
    const size_t count = rows ? summary_rows(rows, model, out->report->clock) : 0;
    struct profile_sample *samples = arena_take(arena, count + 1, sizeof(*samples));
    const double ticks = summary_ticks(out->report, model);
    int err = rows && places && samples
                  ? 0
                  : fail(why, ERR_NOMEM, "no memory for %zu sites", model->site_count);

    if (places)
        places_look_in(places, directory);
    for (size_t i = 0; i < count && !err; i++) {
        if (rows[i].device) /* the values of a profile are of the host's memory */
            continue;
        samples[out->count] = sample_of(out, &rows[i], ticks, places, arena);
        out->count += !is_empty(&samples[out->count]);
    }
    out->samples = samples;
    places_free(places);
    mem_free(rows);
    return err;
}

int profile_make(struct profile *out, const struct run *run, const struct diagnosis *d,
                 struct why *why)
{
    struct profile_process *list = arena_take(d->arena, d->process_count + 1, sizeof(*list));
    struct symbols *symbols = symbols_new(d->arena);
    struct sources *sources = sources_new(run, d->arena);
    int err = list && symbols && sources ? 0 : fail(why, ERR_NOMEM, "no memory for a profile");

    *out = (struct profile){.processes = list};
    for (size_t i = 0; i < d->process_count && !err; i++) {
        struct profile_process *one = &list[out->count];

        *one = (struct profile_process){.model = model_of(run, &d->processes[i]),
                                        .report = &d->processes[i]};
        if (!one->model)
            continue;
        err = fill(one, run->directory, symbols, sources, d->arena, why);
        out->count++;
    }
    if (sources)
        sources_free(sources);
    if (symbols)
        symbols_free(symbols);
    if (!err && arena_failed(d->arena))
        err = fail(why, ERR_NOMEM, "no memory for a profile");
    return err;
}
