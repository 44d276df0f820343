/* fuzz_strip.c - whatever the bytes, a stripped ledger is small, and read like the one it came from. */
#include "promise.h"

#include <string.h>

#include "doctor/verbs/strip.h"
#include "ledger/model.h"

static void check_again(const struct text *small, const struct model *before)
{
    struct model *after = NULL;
    struct why why = {""};

    PROMISE(model_load(&after, small->bytes, small->length, &why) == 0);
    PROMISE(!after->cut && after->head.pid == before->head.pid);
    PROMISE(after->step_count <= before->step_count && after->site_count <= before->site_count);
    model_free(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct model *model = NULL;
    struct text small = {0};
    struct why why = {""};
    const int err = strip_ledger(&small, bytes, size, size % 2 == 0, &why);

    PROMISE(err <= 0 && (err == 0 || why.text[0] != 0));
    PROMISE(err != 0 || small.length >= LEDGER_HEADER_SIZE);
    if (!err && model_load(&model, bytes, size, &why) == 0)
        check_again(&small, model);
    model_free(model);
    text_free(&small);
    return 0;
}
