/* test_redact.c - a report in which every text contains a name of the program's: none is left. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/verbs/redact.h"
#include "doctor/verbs/tried.h"
#include "report/report.h"
#include "test.h"

/* Every place, holder and sentence names alice, in a way of its own. */
struct secret {
    struct diagnosis diagnosis;
    struct process_report report;
    struct finding finding;
    struct place place, phase_place, peak_place, device_places[2];
    struct site_summary site, device_site;
    struct device_summary device;
    struct store store;
    struct holder_step step;
    struct peak_finding peak;
    struct peak_saving saving;
    struct phase_summary phase;
    struct keeping keeping;
    struct tried tried;
    struct loss loss;
    const char *evidence[1], *notes[1], *run_notes[1];
};

static struct place place_of(const char *function)
{
    return (struct place){.file = "/srv/alice/train.ts",
                          .line = 3,
                          .function = function,
                          .module = "libalice.so",
                          .text = "alice.append(x)",
                          .user = true,
                          .script = "/srv/alice/dist/train.js",
                          .script_line = 1};
}

static void fill_finding(struct secret *s)
{
    s->place = place_of("alice_step");
    s->evidence[0] = "\"alice_cache\" of alice_step() keeps /srv/alice/data.bin.";
    s->store = (struct store){.operation = "append",
                              .container = "alice_list",
                              .key = "alice_key",
                              .stored = "alice_value",
                              .head = "alice_list.append(",
                              .tail = ") # alice"};
    s->step = (struct holder_step){
        .name = "alice_list", .type = "Alice", .file = "/srv/alice/a.py", .line = 2};
    s->finding = (struct finding){.id = 1,
                                  .kind = KIND_retained,
                                  .confidence = 1,
                                  .rate = {1000, 900, 1100},
                                  .live_bytes = 5000,
                                  .live_blocks = 5,
                                  .allocated_at = &s->place,
                                  .allocated_count = 1,
                                  .stored_at = &s->place,
                                  .store = &s->store,
                                  .held_by = "alice_list → .alice_item",
                                  .unsearched = "the search for alice_list was ended",
                                  .holder_path = &s->step,
                                  .holder_count = 1,
                                  .holder_growing = 0,
                                  .summary = "alice_list keeps every alice_value.",
                                  .evidence = s->evidence,
                                  .evidence_count = 1,
                                  .remedy = {"Clear alice_list.", "alice_list.clear()", NULL}};
}

static void fill_report(struct secret *s)
{
    s->phase_place = place_of("alice_epoch");
    s->peak_place = place_of("alice_load");
    s->phase = (struct phase_summary){.kind = PHASE_LOOP, .place = &s->phase_place, .turns = 9, .times = 1};
    s->site = (struct site_summary){.places = &s->place, .place_count = 1, .live_bytes = 5000};
    s->device_places[0] = place_of("alice_forward");
    s->device_places[1] = place_of("alice_backward");
    s->device_site = (struct site_summary){.places = &s->device_places[0], .place_count = 1, .live_bytes = 1};
    s->device = (struct device_summary){.name = "H200",
                                        .pinned_by = &s->device_places[1],
                                        .sites = &s->device_site,
                                        .site_count = 1};
    s->saving = (struct peak_saving){
        .text = "Load alice_data lazily.", .code = "alice_data = None", .bytes = 1};
    s->peak = (struct peak_finding){.kind = (enum peak_kind)0,
                                    .summary = "alice_data is most of the peak.",
                                    .parts = {{.places = &s->peak_place,
                                               .place_count = 1,
                                               .bytes = 1,
                                               .held_by = "alice_data (dict)",
                                               .variable = "alice_data"}},
                                    .part_count = 1,
                                    .savings = &s->saving,
                                    .saving_count = 1};
    s->keeping = (struct keeping){.name = "program", .what = "x", .bytes = 1, .returned = "x",
                                  .held_by = "alice_models (list)"};
    s->notes[0] = "The file /srv/alice/lost.tare could not be read.";
    s->loss = (struct loss){"samples", 1};
    s->report = (struct process_report){.pid = 7,
                                        .program = "/srv/alice/train",
                                        .command = "train --user alice",
                                        .ended = "exit",
                                        .verdict = KIND_retained,
                                        .answer = "Yes: alice_step() grows.",
                                        .clock_reason = "it counts the work",
                                        .clock_count = 100,
                                        .devices = &s->device,
                                        .device_count = 1,
                                        .phases = &s->phase,
                                        .phase_count = 1,
                                        .peak_sites = &s->site,
                                        .peak_site_count = 1,
                                        .live_sites = &s->site,
                                        .live_site_count = 1,
                                        .growing_sites = &s->site,
                                        .growing_site_count = 1,
                                        .peak_findings = &s->peak,
                                        .peak_finding_count = 1,
                                        .keepings = &s->keeping,
                                        .keeping_count = 1,
                                        .forecast = {.known = true, .limit = "the cgroup \"alice\""},
                                        .findings = &s->finding,
                                        .finding_count = 1,
                                        .notes = s->notes,
                                        .note_count = 1,
                                        .remedy_note = "Disposed tensors of \"alice_model\".",
                                        .losses = &s->loss,
                                        .loss_count = 1,
                                        .allocator = "/srv/alice/libmine.so"};
}

static struct diagnosis *secret_new(struct secret *s)
{
    *s = (struct secret){.run_notes = {"Process 12 (alice_worker) was not watched."}};
    fill_finding(s);
    fill_report(s);
    s->tried = (struct tried){.remedy = "gc",
                              .says = "collects",
                              .conclusion = TRIED_STILL,
                              .sentence = "With gc the findings are still there.",
                              .returned = "Disposed tensors of \"alice_model\"."};
    s->diagnosis = (struct diagnosis){.verdict = KIND_retained,
                                      .answer = "Yes: alice_step() grows.",
                                      .processes = &s->report,
                                      .process_count = 1,
                                      .notes = s->run_notes,
                                      .note_count = 1,
                                      .tried = &s->tried,
                                      .arena = arena_new()};
    return &s->diagnosis;
}

/* The report as the command line prints it; the caller frees it. */
static char *printed(struct diagnosis *diagnosis, bool json, bool redact)
{
    const struct report_options options = {.json = json, .verbose = true, .redact = redact};
    struct why why = {""};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    CHECK(out && report_write(diagnosis, &options, out, &why) >= 0 && fclose(out) == 0);
    return text;
}

TEST(redacted_reports_name_nothing_of_the_program)
{
    for (int json = 0; json < 2; json++) {
        struct secret *s = malloc(sizeof(*s));
        struct diagnosis *diagnosis = secret_new(s);
        char *plain = printed(diagnosis, json, false), *redacted = printed(diagnosis, json, true);
        const char *found = strcasestr(redacted, "alice");

        CHECK(strcasestr(plain, "alice") != NULL);
        if (found)
            test_fail(__FILE__, __LINE__, "%.*s", 200, found > redacted + 80 ? found - 80 : redacted);
        CHECK_CONTAINS(redacted, "function-");
        free(plain);
        free(redacted);
        arena_free(diagnosis->arena);
        free(s);
    }
}

TEST(redacted_names_are_the_same_wherever_they_stand)
{
    struct secret *s = malloc(sizeof(*s));
    struct diagnosis *diagnosis = secret_new(s);
    struct why why = {""};
    const char *hash;

    s->phase_place.function = "alice_step";
    CHECK_EQ(redact_diagnosis(diagnosis, &why), 0);
    hash = s->place.function;
    CHECK_TEXT(s->phase_place.function, hash);
    CHECK_TEXT(s->place.file, s->peak_place.file);
    CHECK(s->place.line == 3 && s->step.line == 2); /* numbers stay */
    CHECK_EQ(redact_diagnosis(diagnosis, &why), 0);
    CHECK(s->place.function == hash); /* once */
    arena_free(diagnosis->arena);
    free(s);
}
