/* test_strip.c - a small copy of a ledger: smaller, judged alike, and read by the same reader. */
#include "base/mem.h"
#include "base/text.h"
#include "build_ledger.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/verbs/strip.h"
#include "ledger/model.h"
#include "test.h"

static uint8_t *read_small_process(size_t *size)
{
    struct ledger ledger;
    char path[512];

    build_small_process(&ledger, "10.0.tare");
    ledger_close(&ledger);
    (void)snprintf(path, sizeof(path), "%s/10.0.tare", test_directory());
    return build_read(path, size);
}

static struct model *load(const void *bytes, size_t size)
{
    struct model *model = NULL;
    struct why why = {""};

    CHECK_EQ(model_load(&model, bytes, size, &why), 0);
    return model;
}

TEST(strip_keeps_every_record_and_drops_the_empty_space)
{
    size_t size = 0;
    uint8_t *bytes = read_small_process(&size);
    struct text small = {0};
    struct why why = {""};
    struct model *whole, *copy;

    CHECK_EQ(strip_ledger(&small, bytes, size, false, &why), 0);
    CHECK(small.length < size / 20);
    whole = load(bytes, size);
    copy = load(small.bytes, small.length);
    CHECK_EQ(copy->site_count, whole->site_count);
    CHECK_EQ(copy->block_count, whole->block_count);
    CHECK_EQ(copy->death_count, whole->death_count);
    CHECK_EQ(copy->step_count, whole->step_count);
    CHECK_EQ(copy->frame_count, whole->frame_count);
    CHECK_TEXT(copy->program, whole->program);
    for (size_t i = 0; i < whole->step_count; i++)
        CHECK(memcmp(&copy->steps[i], &whole->steps[i], sizeof(whole->steps[i])) == 0);
    for (size_t i = 0; i < whole->block_count; i++)
        CHECK(memcmp(&copy->blocks[i], &whole->blocks[i], sizeof(whole->blocks[i])) == 0);
    model_free(whole);
    model_free(copy);
    text_free(&small);
    mem_free(bytes);
}

TEST(strip_of_a_stripped_ledger_changes_nothing)
{
    size_t size = 0;
    uint8_t *bytes = read_small_process(&size);
    struct text once = {0}, twice = {0};
    struct why why = {""};

    CHECK_EQ(strip_ledger(&once, bytes, size, false, &why), 0);
    CHECK_EQ(strip_ledger(&twice, once.bytes, once.length, false, &why), 0);
    CHECK_EQ(twice.length, once.length);
    CHECK(memcmp(once.bytes, twice.bytes, once.length) == 0);
    text_free(&once);
    text_free(&twice);
    mem_free(bytes);
}

TEST(strip_replaces_names_and_keeps_their_length)
{
    size_t size = 0;
    uint8_t *bytes = read_small_process(&size);
    struct text small = {0};
    struct why why = {""};
    struct model *copy;

    CHECK_EQ(strip_ledger(&small, bytes, size, true, &why), 0);
    CHECK(!memmem(small.bytes, small.length, "train", 5));
    copy = load(small.bytes, small.length);
    CHECK_EQ(strlen(copy->program), strlen("/usr/bin/train"));
    CHECK(strncmp(copy->program, "/usr/", 5) == 0); /* the rules need this component */
    model_free(copy);
    text_free(&small);
    mem_free(bytes);
}

TEST(strip_refuses_what_is_not_a_ledger)
{
    struct text small = {0};
    struct why why = {""};

    CHECK(strip_ledger(&small, "no ledger", 9, false, &why) < 0 && why.text[0]);
    text_free(&small);
}
