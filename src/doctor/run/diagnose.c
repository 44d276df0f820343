/* diagnose.c - a whole run: each process measured and judged, in the order of the tree. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/run/costs.h"
#include "doctor/run/facts.h"
#include "doctor/run/headline.h"
#include "doctor/run/examine.h"
#include "doctor/run/number.h"
#include "doctor/source/places.h"
#include "doctor/source/source.h"
#include "doctor/run/summary.h"
#include "doctor/source/symbols.h"
#include "doctor/run/unwatched.h"
#include "ledger/model.h"

#define ORPHANS_MAX  4 /* names of processes that were still running */
#define UNTRACED_MAX 8 /* sentences about processes without a ledger */

struct patient {
    const struct run *run;
    struct arena *arena;
    struct symbols *symbols;
    struct sources *sources;
};

/* ---- the order of the tree ---- */

/* The process that made this one: what its pid was before an exec, else the parent. */
static size_t maker_of(const struct run *run, size_t child)
{
    const struct ledger_header *head = &run->processes[child]->head;
    size_t maker = run->process_count;

    for (size_t i = 0; i < run->process_count; i++) {
        const struct ledger_header *other = &run->processes[i]->head;
        const bool before = other->pid == head->pid && other->generation < head->generation;
        const bool parent = other->pid == head->parent_pid && other->pid != head->pid;

        if (i != child && (before || (parent && other->start_mono <= head->start_mono)))
            maker = i;
        if (before && other->generation + 1 == head->generation)
            break;
    }
    return maker;
}

struct walk {
    const struct run *run;
    const size_t *makers;
    size_t *order;
    bool *placed;
    size_t count;
};

static void place_below(struct walk *walk, size_t maker)
{
    for (size_t i = 0; i < walk->run->process_count; i++) {
        if (walk->placed[i] || walk->makers[i] != maker)
            continue;
        walk->placed[i] = true;
        walk->order[walk->count++] = i;
        place_below(walk, i);
    }
}

/* Forged ledgers may name each other as parents: who is left over is placed by start time. */
static int order_tree(const struct run *run, size_t *order, struct why *why)
{
    const size_t count = run->process_count;
    size_t *makers = mem_zalloc_array(count, sizeof(*makers));
    bool *placed = mem_zalloc_array(count, sizeof(*placed));
    struct walk walk = {.run = run, .makers = makers, .order = order, .placed = placed};
    int err = makers && placed ? 0 : fail(why, ERR_NOMEM, "no room for %zu processes", count);

    if (!err) {
        for (size_t i = 0; i < count; i++)
            makers[i] = maker_of(run, i);
        place_below(&walk, count);
        for (size_t i = 0; i < count; i++)
            if (!placed[i])
                order[walk.count++] = i;
    }
    mem_free(makers);
    mem_free(placed);
    return err;
}

/* ---- one process ---- */

static void add_problems(struct process_report *report, const struct places *places,
                         struct arena *arena)
{
    const char *const *problems;
    const size_t count = places_problems(places, &problems);

    for (size_t i = 0; i < count; i++)
        facts_note(&report->notes, &report->note_count, problems[i], arena);
    if (places_note(places))
        facts_note(&report->notes, &report->note_count, places_note(places), arena);
}

static int examine(const struct patient *patient, const struct model *model,
                   struct process_report *report, struct why *why)
{
    struct places *places = places_new(model, patient->symbols, patient->sources, patient->arena);
    int err = places ? 0 : fail(why, ERR_NOMEM, "no room for the stacks of a process");

    if (!err) {
        places_look_in(places, patient->run->directory);
        places_use_packages(places, patient->run->own);
        facts_fill(report, model, patient->run, patient->arena);
        err = summary_fill(report, model, CLOCK_NONE, places, patient->arena, why);
    }
    if (!err)
        err = examine_process(report, model, patient->run, places, patient->arena, why);
    if (!err)
        err = summary_fill(report, model, report->clock, places, patient->arena, why); /* now it is known */
    if (!err) {
        summary_use_clock(report, model);
        facts_descriptors(report, patient->run, patient->arena);
        facts_pools(report, model, patient->arena);
        add_problems(report, places, patient->arena);
    }
    places_free(places);
    return err;
}

static void note(struct diagnosis *out, const char *text)
{
    facts_note(&out->notes, &out->note_count, text, out->arena);
}

/* Reads one, judges it and forgets it: of a thousand processes there is one in memory at a time. */
static int examine_one(const struct patient *patient, size_t process,
                       struct process_report *reports, struct diagnosis *out, struct why *why)
{
    struct model *model = NULL;
    int err = run_read(patient->run, process, &model, why);

    if (err && err != ERR_NOMEM) { /* it is not what it was when the run was listed */
        note(out, arena_print(out->arena, "A ledger could not be read: %s.", why->text));
        return 0;
    }
    if (!err)
        err = examine(patient, model, &reports[out->process_count], why);
    if (!err)
        out->process_count++;
    run_give_back(patient->run, process, model);
    return err;
}

static int examine_all(const struct patient *patient, struct diagnosis *out, struct why *why)
{
    const size_t count = patient->run->process_count;
    struct process_report *reports = arena_take(patient->arena, count, sizeof(*reports));
    size_t *order = mem_zalloc_array(count, sizeof(*order));
    int err = reports && order ? 0 : fail(why, ERR_NOMEM, "no room for %zu processes", count);

    if (!err)
        err = order_tree(patient->run, order, why);
    for (size_t i = 0; i < count && !err; i++)
        err = examine_one(patient, order[i], reports, out, why);
    mem_free(order);
    out->processes = reports;
    out->process_count = err ? 0 : out->process_count;
    return err;
}

/* ---- the run ---- */

static const char *name_of(const struct model *own, size_t process)
{
    return own->process_names[process] ? own->process_names[process] : "";
}

static void note_process(struct diagnosis *out, const struct model *own, size_t i)
{
    if (own->processes[i].flags & PROCESS_OOM_KILLED)
        note(out, arena_print(out->arena, "Process %u (%s) was killed by the kernel's OOM killer.",
                              own->processes[i].pid, name_of(own, i)));
}

static void note_orphans(struct diagnosis *out, const struct model *own)
{
    const char *names = "";
    size_t count = 0;

    for (size_t i = 0; i < own->process_count; i++)
        if (own->processes[i].flags & PROCESS_ORPHAN && count++ < ORPHANS_MAX && names)
            names = arena_print(out->arena, "%s%s%s (process %u)", names, count > 1 ? ", " : "",
                                name_of(own, i), own->processes[i].pid);
    if (count > 0 && names)
        note(out, arena_print(out->arena, "Still running when the program ended: %s%s.", names,
                              count > ORPHANS_MAX ? ", …" : ""));
}

static void note_untraced(struct diagnosis *out, const struct model *own)
{
    size_t said = 0, count = 0;

    for (size_t i = 0; i < own->process_count; i++) {
        if (!own->process_untraced[i])
            continue;
        if (said < UNTRACED_MAX) {
            note(out, arena_print(out->arena, "Process %u (%s) was not traced: %s.",
                                  own->processes[i].pid,
                                  own->process_names[i] ? own->process_names[i] : "",
                                  own->process_untraced[i]));
            said++;
        }
        count++;
    }
    if (count > said)
        note(out, arena_print(out->arena, "%zu more processes were not traced.", count - said));
}

/* A record of one whose ledger is still there is not counted: the process is in the list. */
static bool is_listed(const struct run *run, const struct folded_record *record)
{
    for (size_t i = 0; i < run->process_count; i++)
        if (run->processes[i]->head.pid == record->pid &&
            run->processes[i]->head.generation == record->generation &&
            run->processes[i]->head.start_mono == record->start)
            return true;
    return false;
}

static void count_folded(struct diagnosis *out, const struct run *run)
{
    struct folded *folded = &out->folded;
    char peak[TEXT_SIZE_MAX], steps[TEXT_SIZE_MAX];

    for (size_t i = 0; run->own && i < run->own->folded_count; i++) {
        const struct folded_record *record = &run->own->folded[i];

        if (is_listed(run, record))
            continue;
        folded->processes++;
        folded->steps += record->steps;
        if (record->peak_bytes > folded->peak_bytes)
            folded->peak_bytes = record->peak_bytes;
    }
    if (folded->processes > 0)
        note(out, arena_print(out->arena,
                              "%zu more processes ended with nothing to report; to save disk "
                              "only their totals were kept: %s steps, at most %s of heap in one of them.",
                              folded->processes, text_count(steps, folded->steps),
                              text_size(peak, folded->peak_bytes)));
}

static void note_run(struct diagnosis *out, const struct run *run)
{
    count_folded(out, run);
    for (size_t i = 0; run->own && i < run->own->process_count; i++)
        note_process(out, run->own, i);
    if (run->own) {
        note_orphans(out, run->own);
        note_untraced(out, run->own);
    }
    for (size_t i = 0; run->own && i < run->own->note_count && i < 50; i++)
        note(out, arena_text(out->arena, run->own->notes[i].text, strlen(run->own->notes[i].text)));
    if (run->unbegun > 0)
        note(out, arena_print(out->arena,
                              "%zu ledgers have no header yet (the process was starting, or died "
                              "while starting).",
                              run->unbegun));
    for (size_t i = 0; i < run->refused_count; i++)
        note(out, arena_print(out->arena, "A ledger could not be read: %s.", run->refused[i]));
}

static void conclude(struct diagnosis *out)
{
    const struct process_report *best = headline_process(out);

    for (size_t i = 0; i < out->process_count; i++)
        if (out->processes[i].seconds > out->seconds)
            out->seconds = out->processes[i].seconds;
    out->verdict = best ? best->verdict : KIND_undecided;
    out->status = best && best->endless ? 1 : kind_status(out->verdict);
    out->confidence = best ? best->confidence : 0;
    out->answer = best ? best->answer : "Not known: no process of this run left measurements.";
}

/* A wrapper's "No" or "too early" does not answer for a process that was not seen. */
static void conclude_unwatched(struct diagnosis *out, const struct model *own)
{
    const struct process_report *best = headline_process(out);
    const bool harmless = best && kind_status(out->verdict) == 0;

    out->unwatched = unwatched_find(own, out->arena);
    if (out->unwatched && !best)
        out->answer = arena_print(out->arena, "Not known: %s.", unwatched_words(out->unwatched, out->arena));
    if (!out->unwatched || !(harmless || (best && best->early)))
        return;
    out->verdict = KIND_undecided;
    out->status = kind_status(out->verdict);
    out->confidence = 0;
    out->answer =
        arena_print(out->arena, "Not decided: %s%s.",
                    harmless ? "nothing grew in what was watched, but " : "",
                    unwatched_words(out->unwatched, out->arena));
}

int diagnose(struct diagnosis *out, const struct run *run, struct why *why)
{
    struct patient patient = {.run = run, .arena = arena_new()};
    int err;

    *out = (struct diagnosis){.arena = patient.arena};
    if (patient.arena) {
        patient.symbols = symbols_new(patient.arena);
        patient.sources = sources_new(run, patient.arena);
    }
    err = patient.symbols && patient.sources ? 0 : fail(why, ERR_NOMEM, "no room for a diagnosis");
    if (!err)
        err = examine_all(&patient, out, why);
    if (!err) {
        note_run(out, run);
        costs_sum(out, run->own);
        conclude(out);
        headline_settle(out);
        number_findings(out);
        conclude_unwatched(out, run->own);
        if (arena_failed(out->arena))
            err = fail(why, ERR_NOMEM, "no room for the diagnosis");
    }
    sources_free(patient.sources);
    symbols_free(patient.symbols);
    if (err)
        diagnosis_free(out);
    return err;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
    arena_free(diagnosis->arena);
    *diagnosis = (struct diagnosis){0};
}
