/* native.c - programs without an interpreter: nothing collects their memory. */
#include "doctor/measure/collected.h"
#include "doctor/runtime/runtimes.h"
#include "ledger/model.h"

static bool present(const struct model *model)
{
    (void)model;
    return true;
}

const struct runtime runtime_native = {
    .name = "native",
    .doubts_late_search = true,
    .lag_remedy = REMEDY_collect,
    .present = present,
    .collected = collected_requested,
    .end_fall = runtime_no_fall,
    .take_out_garbage = runtime_no_garbage,
    .unproven = runtime_unproven,
    .waits = runtime_never,
    .stayed = runtime_always_stayed,
    .bookkeeping = runtime_never,
    .pages = runtime_never,
    .own = runtime_not_own,
    .heap_full = runtime_not_full,
    .add_notes = runtime_no_notes,
};
