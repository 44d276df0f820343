/* test_forms.c - checks, comparisons, exports, redaction and small ledgers without memory. */
#include <fcntl.h>
#include <string.h>

#include "base/filemap.h"
#include "base/intern.h"
#include "base/mem.h"
#include "build_ledger.h"
#include "doctor/verbs/check.h"
#include "doctor/verbs/compare.h"
#include "doctor/verbs/redact.h"
#include "doctor/verbs/strip.h"
#include "ledger/model.h"
#include "report/export/export.h"
#include "report/export/protobuf.h"
#include "test.h"

/* ---- small parts ---- */

TEST(intern_numbers_each_text_once)
{
    struct intern intern = {0};
    char text[16];

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 1000; i++) {
            (void)snprintf(text, sizeof(text), "text %zu", i);
            CHECK_EQ(intern_text(&intern, text), i);
        }
    CHECK_EQ(intern_number(&intern, "text\0more", 9), 1000);
    CHECK_EQ(intern_number(&intern, "text\0less", 9), 1001);
    CHECK_EQ(intern_text(&intern, NULL), 1002);
    CHECK_EQ(intern_text(&intern, ""), 1002);
    CHECK_TEXT(intern.entries[7].bytes, "text 7");
    intern_fini(&intern);
}

TEST(protobuf_writes_what_its_description_says)
{
    static const char want[] = "\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01";
    struct text out = {0}, inner = {0};

    protobuf_number(&out, 1, 150);
    protobuf_number(&out, 9, 0);
    protobuf_bytes(&out, 2, "testing", 7);
    protobuf_number(&inner, 1, 150);
    protobuf_message(&out, 3, &inner);
    CHECK_EQ(out.length, sizeof(want) - 1);
    CHECK(memcmp(out.bytes, want, out.length) == 0);
    CHECK_EQ(inner.length, 0);
    out.length = 0;
    protobuf_varint(&out, UINT64_MAX);
    CHECK_EQ(out.length, 10);
    text_free(&out);
    text_free(&inner);
}

TEST(redact_keeps_what_the_rules_look_at)
{
    static const char *const kept[] = {"/lib/", "/site-packages/", "/python3.11/", ".py"};
    char path[] = "/srv/alice/lib/python3.11/site-packages/secret/model.py";
    char library[] = "/opt/alice/libc.so.6",
         said[] = "the file /srv/alice/x of (alice) is 12 KB/step large";
    const size_t length = strlen(path);

    redact_path(path, length);
    CHECK_EQ(strlen(path), length);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        CHECK_CONTAINS(path, kept[i]);
    CHECK(!strstr(path, "alice") && !strstr(path, "secret") && !strstr(path, "model"));
    redact_path(library, strlen(library));
    CHECK_CONTAINS(library, "/libc.so.6");
    CHECK(!strstr(library, "alice"));
    redact_sentence(said, strlen(said));
    CHECK(!strstr(said, "alice"));
    CHECK_CONTAINS(said, "the file ");
    CHECK_CONTAINS(said, " large");
}

/* ---- out of memory ---- */

typedef int form_fn(struct run *run, struct diagnosis *d, struct why *why);

static int do_check(struct run *run, struct diagnosis *d, struct why *why)
{
    const struct check_limits limits = {.growth = 1, .peak = 1};
    struct check check;

    (void)run;
    return check_run(&check, d, &limits, why);
}

static int do_compare(struct run *run, struct diagnosis *d, struct why *why)
{
    struct comparison comparison;

    (void)run;
    return compare_runs(&comparison, d, d, why);
}

static int do_redact(struct run *run, struct diagnosis *d, struct why *why)
{
    struct profile profile = {0};
    int err = profile_make(&profile, run, d, why);

    if (!err)
        err = redact_profile(&profile, d->arena, why);
    return err ? err : redact_diagnosis(d, why);
}

static int do_exports(struct run *run, struct diagnosis *d, struct why *why)
{
    static export_fn *const forms[] = {
#define FORMAT(name, stacks, binary, says) export_##name,
#include "report/export/formats.def"
#undef FORMAT
    };
    struct profile profile = {0};
    struct export e = {
        .run = run, .diagnosis = d, .profile = &profile, .value = PROFILE_live_bytes};
    int err = profile_make(&profile, run, d, why);

    e.out = fopen("/dev/null", "we");
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && !err; i++)
        err = forms[i](&e, why);
    (void)fclose(e.out);
    return err;
}

static int do_strip(struct run *run, struct diagnosis *d, struct why *why)
{
    struct filemap map = {0};
    struct text small = {0};
    char path[4200];
    int err;

    (void)run;
    (void)d;
    (void)snprintf(path, sizeof(path), "%s/10.0.tare", test_directory());
    err = filemap_open(&map, AT_FDCWD, path, why);
    if (!err)
        err = strip_ledger(&small, map.bytes, map.size, true, why);
    filemap_close(&map);
    text_free(&small);
    return err;
}

/* Each request in turn is refused, until none is left to refuse. */
static void sweep(form_fn *form)
{
    bool whole = false;

    for (unsigned long n = 1; !whole; n++) {
        struct diagnosis diagnosis;
        struct why why = {""};
        struct run run;
        int err;

        CHECK(n < 100000);
        CHECK_EQ(run_load(&run, test_directory(), &why), 0);
        CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
        mem_fail_at(n);
        err = form(&run, &diagnosis, &why);
        whole = test_still_armed(n);
        CHECK(err == 0 || (err == ERR_NOMEM && why.text[0]));
        diagnosis_free(&diagnosis);
        run_free(&run);
    }
}

TEST(forms_survive_running_out_of_memory)
{
    static form_fn *const forms[] = {do_check, do_compare, do_redact, do_exports, do_strip};
    struct ledger ledger;

    build_small_process(&ledger, "10.0.tare");
    ledger_close(&ledger);
    build_small_run(&ledger, LEDGER_RUN_NAME);
    ledger_close(&ledger);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        sweep(forms[i]);
}
