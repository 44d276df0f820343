/* redact.c - see redact.h. */
#include "doctor/verbs/redact.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "doctor/facts/runtimes.h"
#include "doctor/verbs/tried.h"

#define ARROW      " → "
#define ENDING_MAX 5 /* the longest ending of a file name, with its dot: ".cuda" */

/* ---- in place, keeping the length: for ledgers ---- */

void redact_letters(char *name, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = intern_hash(name, length);

    for (size_t i = 0; i < length; i++) {
        if (i % 12 == 11)
            hash = intern_hash((const char *)&hash, sizeof(hash));
        name[i] = digits[hash >> (4 * (i % 12)) & 15];
    }
}

/* The rules that recognise library code need these components (runtimes.c). */
static bool stays(const char *part, size_t length)
{
    static const char *const known[] = {"lib",           "lib64", "usr", "site-packages",
                                        "dist-packages", "..",    "."};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i]) == length && memcmp(part, known[i], length) == 0)
            return true;
    return length > 6 && length < 16 && memcmp(part, "python", 6) == 0 &&
           isdigit((unsigned char)part[6]);
}

static size_t ending_of(const char *name, size_t length)
{
    size_t ending = 0;

    while (ending < length && ending < ENDING_MAX && name[length - ending - 1] != '.')
        ending++;
    return ending < length && ending < ENDING_MAX && ending > 0 ? ending + 1 : 0;
}

static bool is_runtime(const char *path, size_t length)
{
    char name[256];
    size_t from = length;

    while (from > 0 && path[from - 1] != '/')
        from--;
    if (length - from >= sizeof(name))
        return false;
    memcpy(name, path + from, length - from);
    name[length - from] = 0;
    return runtimes_module(name) ||
           strncmp(path, "<frozen ", length < 8 ? length : 8) == 0; /* data: a path */
}

void redact_path(char *path, size_t length)
{
    const bool runtime = is_runtime(path, length); /* then the file name stays */
    size_t from = 0;

    while (from < length) {
        size_t to = from;

        while (to < length && path[to] != '/')
            to++;
        if (!stays(path + from, to - from) && !(runtime && to == length)) {
            const size_t kept = to == length ? ending_of(path + from, to - from) : 0;

            redact_letters(path + from, to - from - kept);
        }
        from = to + 1;
    }
}

static bool looks_like_code(const char *word, size_t length)
{
    bool letter = false, sign = false;

    for (size_t i = 0; i < length; i++) {
        letter |= isalpha((unsigned char)word[i]) != 0 || ((unsigned char)word[i] & 0x80) != 0;
        sign |= (strchr("/_\\@=", word[i]) != NULL) || (word[i] == '.' && i + 1 < length) ||
                (i > 0 && isupper((unsigned char)word[i]) && islower((unsigned char)word[i - 1]));
    }
    return letter && sign;
}

void redact_sentence(char *text, size_t length)
{
    size_t from = 0;

    while (from < length) {
        size_t to = from;
        bool bracket;

        while (to < length && !strchr(" ,;:\"'`()", text[to]))
            to++;
        /* In brackets or quotes stand names of the program, not words of the sentence. */
        bracket = from > 0 && to < length && to > from && strchr("(\"'`", text[from - 1]) &&
                  strchr(")\"'`", text[to]) && !isdigit((unsigned char)text[from]);
        if ((bracket || looks_like_code(text + from, to - from)) &&
            !is_runtime(text + from, to - from))
            redact_letters(text + from, to - from);
        from = to + 1;
    }
}

/* ---- names in a report ---- */

static const char *hashed(struct arena *arena, const char *kind, const char *text,
                          const char *ending)
{
    return arena_print(arena, "%s-%010" PRIx64 "%s", kind, intern_hash(text, strlen(text)) >> 24,
                       ending);
}

static const char *file_name(struct arena *arena, const char *file)
{
    const size_t length = strlen(file), ending = ending_of(file, length);

    if (is_runtime(file, length))
        return strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    return hashed(arena, "file", file, file + length - ending);
}

static const char *module_name(struct arena *arena, const struct place *place)
{
    if (place->language != LANGUAGE_NATIVE || runtimes_module(place->module))
        return place->module;
    return hashed(arena, "module", place->module, "");
}

static void redact_place(struct arena *arena, struct place *place)
{
    const bool ours = place->module && runtimes_module(place->module);

    if (place->file)
        place->file = file_name(arena, place->file);
    if (place->function && !ours && place->function[0] != '(')
        place->function = hashed(arena, "function", place->function, "");
    if (place->text)
        place->text = hashed(arena, "source", place->text, "");
    if (place->script)
        place->script = file_name(arena, place->script);
    if (place->module)
        place->module = module_name(arena, place);
}

/* The findings and sites of one stack share its list of places, which must be changed only once. */
struct work {
    struct arena *arena;
    struct intern seen; /* addresses of the lists that are changed */
};

static void redact_places(struct work *work, const struct place *places, size_t count)
{
    const size_t before = work->seen.count;

    if (count == 0)
        return;
    (void)intern_number(&work->seen, (const char *)&places, sizeof(places));
    if (work->seen.count == before)
        return;
    for (size_t i = 0; i < count; i++)
        redact_place(work->arena, (struct place *)(uintptr_t)&places[i]);
}

static const char *sentence(struct arena *arena, const char *text)
{
    char *copy = text ? arena_text(arena, text, strlen(text)) : NULL;

    if (copy)
        redact_sentence(copy, strlen(copy));
    return copy;
}

static void redact_sentences(struct arena *arena, const char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        list[i] = sentence(arena, list[i]);
}

/* Hashes each step of the path on its own. Offsets and "…" reveal nothing and stay. */
static const char *holder(struct arena *arena, const char *path)
{
    const char *out = "";

    while (path) {
        const char *arrow = strstr(path, ARROW); /* data: what separates the names of a path */
        const size_t length = arrow ? (size_t)(arrow - path) : strlen(path);
        const char *part = arena_text(arena, path, length);

        if (part && part[0] != '+' && !text_begins(part, "…"))
            part = hashed(arena, "holder", part, "");
        out = arena_print(arena, "%s%s%s", out ? out : "", out && out[0] ? ARROW : "",
                          part ? part : "");
        path = arrow ? arrow + strlen(ARROW) : NULL;
    }
    return out;
}

/* ---- the names that a finding has from the source ---- */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || ((unsigned char)c & 0x80) != 0;
}

/* Hashes every occurrence of `name` as a whole word. Names of fewer than 3 letters are left to
 * redact_sentence. */
static const char *without(struct arena *arena, const char *text, const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    const char *at = text;

    while (text && length >= 3 && at && (at = strstr(at, name)) != NULL) {
        const bool begins = at == text || !is_letter(at[-1]) || !is_letter(name[0]);
        const bool ends = !is_letter(at[length]) || !is_letter(name[length - 1]);
        const size_t before = (size_t)(at - text);
        const char *hash = hashed(arena, "name", name, "");

        if (!begins || !ends) {
            at++;
            continue;
        }
        text = arena_print(arena, "%.*s%s%s", (int)before, text, hash ? hash : "", at + length);
        at = text && hash ? text + before + strlen(hash) : NULL;
    }
    return text;
}

/* Packages and modules of the native code. */
static const char *without_native(struct arena *arena, const char *text, const struct finding *finding)
{
    text = without(arena, text, finding->library);
    for (size_t i = 0; i < finding->native_count; i++) {
        text = without(arena, text, finding->native[i].package);
        text = without(arena, text, finding->native[i].module);
    }
    return text;
}

static const char *without_names(struct arena *arena, const char *text,
                                 const struct finding *finding)
{
    const struct store *store = finding->store;

    text = without_native(arena, text, finding);
    if (store) {
        text = without(arena, text, store->container);
        text = without(arena, text, store->stored);
        text = without(arena, text, store->key);
        if (store->carried)
            text = without(arena, text, store->carried);
    }
    for (size_t i = 0; i < finding->holder_count; i++) {
        text = without(arena, text, finding->holder_path[i].name);
        text = without(arena, text, finding->holder_path[i].type);
    }
    return text;
}

static const char *hashed_if_any(struct arena *arena, const char *kind, const char *text)
{
    return text && text[0] ? hashed(arena, kind, text, "") : text;
}

static void redact_holders(struct arena *arena, const struct finding *finding)
{
    for (size_t i = 0; i < finding->holder_count; i++) {
        struct holder_step *step = (struct holder_step *)(uintptr_t)&finding->holder_path[i];

        step->name = hashed_if_any(arena, "name", step->name);
        step->type = hashed_if_any(arena, "type", step->type);
        step->file = step->file && step->file[0] ? file_name(arena, step->file) : step->file;
    }
}

static void redact_store(struct arena *arena, const struct finding *finding)
{
    struct store *store = (struct store *)(uintptr_t)finding->store;

    store->container = hashed_if_any(arena, "name", store->container);
    store->key = hashed_if_any(arena, "name", store->key);
    store->stored = hashed_if_any(arena, "name", store->stored);
    store->head = hashed_if_any(arena, "source", store->head);
    store->tail = hashed_if_any(arena, "source", store->tail);
}

/* In sentences, names from the source become hashes; the code of the remedy becomes one hash. */
static void redact_words(struct arena *arena, struct finding *finding)
{
    const bool named = finding->store || finding->holder_count > 0 || finding->library;

    finding->summary = sentence(arena, without_names(arena, finding->summary, finding));
    for (size_t i = 0; i < finding->evidence_count; i++)
        finding->evidence[i] = sentence(arena, without_names(arena, finding->evidence[i], finding));
    if (named) /* else the text is from the table and has no names */
        finding->remedy.text = sentence(arena, without_names(arena, finding->remedy.text, finding));
    finding->remedy.file = finding->stored_at ? finding->stored_at->file : NULL;
    if (named || finding->advice == REMEDY_dispose || finding->advice == REMEDY_dispose_variables)
        finding->remedy.code = hashed_if_any(arena, "source", finding->remedy.code);
}

static void redact_native(struct arena *arena, struct finding *finding)
{
    for (size_t i = 0; i < finding->native_count; i++) {
        struct native_place *place = (struct native_place *)(uintptr_t)&finding->native[i];

        if (place->module && runtimes_module(place->module))
            continue;
        place->module = hashed_if_any(arena, "module", place->module);
        place->function = hashed_if_any(arena, "function", place->function);
        place->file = place->file ? file_name(arena, place->file) : NULL;
        place->package = hashed_if_any(arena, "package", place->package);
        place->version = NULL;
    }
    finding->made_in = finding->made_in ? holder(arena, finding->made_in) : NULL;
    finding->library = hashed_if_any(arena, "package", finding->library);
}

/* ---- the whole ---- */

static void redact_finding(struct work *work, struct finding *finding)
{
    redact_places(work, finding->allocated_at, finding->allocated_count);
    for (size_t i = 0; i < finding->made_count; i++)
        redact_places(work, finding->made_at[i].places, finding->made_at[i].place_count);
    redact_places(work, finding->stored_at, finding->stored_at ? 1 : 0);
    redact_places(work, finding->library_at, finding->library_count);
    redact_words(work->arena, finding);
    redact_native(work->arena, finding);
    redact_holders(work->arena, finding);
    if (finding->store)
        redact_store(work->arena, finding);
    if (finding->held_by)
        finding->held_by = holder(work->arena, finding->held_by);
    finding->unsearched = sentence(work->arena, finding->unsearched);
}

static void redact_sites(struct work *work, const struct site_summary *sites, size_t count)
{
    for (size_t i = 0; i < count; i++)
        redact_places(work, sites[i].places, sites[i].place_count);
}

static void redact_peak(struct work *work, struct peak_finding *finding)
{
    struct peak_saving *savings = (struct peak_saving *)(uintptr_t)finding->savings;

    finding->summary = sentence(work->arena, finding->summary);
    for (size_t i = 0; i < finding->part_count; i++) {
        struct peak_part *part = &finding->parts[i];

        redact_places(work, part->places, part->place_count);
        part->variable = hashed_if_any(work->arena, "name", part->variable);
        if (part->held_by)
            part->held_by = holder(work->arena, part->held_by);
    }
    for (size_t i = 0; i < finding->saving_count; i++) {
        savings[i].text = sentence(work->arena, savings[i].text);
        savings[i].code = hashed_if_any(work->arena, "source", savings[i].code);
    }
}

/* The loop of each phase, and what holds the memory that each model leaves. */
static void redact_phases(struct work *work, const struct process_report *report)
{
    struct keeping *keepings = (struct keeping *)(uintptr_t)report->keepings;

    for (size_t i = 0; i < report->phase_count; i++)
        redact_places(work, report->phases[i].place, report->phases[i].place ? 1 : 0);
    for (size_t i = 0; i < report->keeping_count; i++)
        if (keepings[i].held_by)
            keepings[i].held_by = holder(work->arena, keepings[i].held_by);
}

static void redact_devices(struct work *work, const struct process_report *report)
{
    for (size_t i = 0; i < report->device_count; i++) {
        const struct device_summary *device = &report->devices[i];

        redact_sites(work, device->sites, device->site_count);
        redact_places(work, device->pinned_by, device->pinned_by ? 1 : 0);
    }
}

static void redact_process(struct work *work, struct process_report *report)
{
    struct arena *arena = work->arena;

    if (report->program)
        report->program = hashed(arena, "program", report->program, "");
    if (report->command)
        report->command = hashed(arena, "command", report->command, "");
    if (report->allocator && report->allocator[0])
        report->allocator = file_name(arena, report->allocator);
    for (size_t i = 0; i < report->finding_count; i++)
        report->answer = without_native(arena, report->answer, &report->findings[i]);
    report->answer = sentence(arena, report->answer);
    report->forecast.limit = sentence(arena, report->forecast.limit);
    report->remedy_note = sentence(arena, report->remedy_note);
    redact_sentences(arena, report->notes, report->note_count);
    redact_phases(work, report);
    redact_devices(work, report);
    redact_sites(work, report->peak_sites, report->peak_site_count);
    redact_sites(work, report->live_sites, report->live_site_count);
    redact_sites(work, report->growing_sites, report->growing_site_count);
    for (size_t i = 0; i < report->finding_count; i++)
        redact_finding(work, (struct finding *)(uintptr_t)&report->findings[i]);
    for (size_t i = 0; i < report->peak_finding_count; i++)
        redact_peak(work, (struct peak_finding *)(uintptr_t)&report->peak_findings[i]);
    for (size_t i = 0; i < report->trail_count; i++) /* last: these lists may belong to what is above */
        redact_places(work, report->trail[i].place, report->trail[i].place ? 1 : 0);
}

int redact_diagnosis(struct diagnosis *d, struct why *why)
{
    struct work work = {.arena = d->arena};

    if (d->redacted)
        return 0;
    d->redacted = true;
    for (size_t i = 0; i < d->process_count; i++) /* before the findings lose their names */
        for (size_t k = 0; k < d->processes[i].finding_count; k++)
            d->answer = without_native(d->arena, d->answer, &d->processes[i].findings[k]);
    for (size_t i = 0; i < d->process_count; i++)
        redact_process(&work, (struct process_report *)(uintptr_t)&d->processes[i]);
    d->answer = sentence(d->arena, d->answer);
    redact_sentences(d->arena, d->notes, d->note_count);
    if (d->tried) {
        struct tried *tried = (struct tried *)(uintptr_t)d->tried;

        tried->returned = sentence(d->arena, tried->returned);
    }
    intern_fini(&work.seen);
    return arena_failed(d->arena) ? fail(why, ERR_NOMEM, "no memory to redact the report") : 0;
}

int redact_profile(struct profile *profile, struct arena *arena, struct why *why)
{
    struct work work = {.arena = arena};

    for (size_t i = 0; i < profile->count; i++)
        for (size_t k = 0; k < profile->processes[i].count; k++)
            redact_places(&work, profile->processes[i].samples[k].places,
                          profile->processes[i].samples[k].place_count);
    intern_fini(&work.seen);
    return arena_failed(arena) ? fail(why, ERR_NOMEM, "no memory to redact the stacks") : 0;
}
